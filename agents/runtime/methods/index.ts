/**
 * Methods that every agent answers beside its own tools.
 *  1. They read; `drain` and `ask` are the exceptions, and neither moves a device by itself.
 *  2. What was asked for a person is answered within that person's rights.
 */
export { type BuiltinMethod, type BuiltinMethods, paramsOf, readHow } from './builtin-method.js';
export { type BuiltinSources, builtinMethods, READ_METHODS } from './builtin-methods.js';
