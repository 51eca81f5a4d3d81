import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { type FieldProblem, HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

/** `application/problem+json`, RFC 9457, with the fields that are wrong. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly reason: string;
  readonly fields?: readonly FieldProblem[];
  readonly suggestion?: string;
}

export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(thrown, request.url);
  if (problem.status >= 500 && problem.reason === 'internal') request.log.error({ err: thrown }, 'a route failed');
  if (problem.status === 503 || problem.status === 429) reply.header('retry-after', '1');
  return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}

export function toProblem(thrown: unknown, instance: string): Problem {
  if (thrown instanceof HermesError) return fromHermes(thrown, instance);
  if (hasZodFastifySchemaValidationErrors(thrown)) {
    const where = (thrown as { validationContext?: string }).validationContext ?? 'body';
    const fields = thrown.validation.flatMap((issue) => fieldsOf(issue as ZodIssueLike));
    const detail = fields.map((field) => `${field.pointer || where}: ${field.problem}`).join('; ');
    return make(400, 'invalid_params', `the ${where} is not as it should be: ${detail}`, instance, fields);
  }
  return fromFastify(thrown as FastifyError, instance);
}

interface ZodIssueLike {
  readonly instancePath: string;
  readonly message?: string;
  readonly keyword?: string;
  readonly params?: { readonly keys?: readonly string[]; readonly issue?: { readonly keys?: readonly string[] } };
}

/** An unknown key is named by its own pointer, not by that of the object around it. */
function fieldsOf(issue: ZodIssueLike): FieldProblem[] {
  const at = issue.instancePath === '/' ? '' : issue.instancePath;
  const keys = issue.params?.keys ?? issue.params?.issue?.keys ?? [];
  if (keys.length > 0) return keys.map((key) => ({ pointer: `${at}/${key}`, problem: 'unknown field' }));
  return [{ pointer: at, problem: issue.message ?? 'invalid' }];
}

function fromHermes(error: HermesError, instance: string): Problem {
  const { fields, suggestion } = error.data;
  return {
    ...make(error.httpStatus, error.reason, error.message, instance, fields),
    ...(suggestion ? { suggestion } : {}),
  };
}

/** What the server itself refuses: too large, not JSON, another media type, an unknown route. */
function fromFastify(error: FastifyError, instance: string): Problem {
  const body = (problem: string): readonly FieldProblem[] => [{ pointer: '', problem }];
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return make(
        413,
        'invalid_params',
        `the body is over ${LIMITS.goalBodyBytes} bytes`,
        instance,
        body(`at most ${LIMITS.goalBodyBytes} bytes`),
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return make(
        415,
        'invalid_params',
        'the content type has to be application/json',
        instance,
        body('application/json'),
      );
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return make(400, 'invalid_params', `the body is not JSON: ${error.message}`, instance, body('malformed JSON'));
    default: {
      const status = error.statusCode ?? 500;
      const reason = status === 404 ? 'not_found' : status < 500 ? 'invalid_params' : 'internal';
      const detail = status < 500 ? error.message : 'the request could not be served';
      return make(status, reason, detail, instance);
    }
  }
}

function make(
  status: number,
  reason: string,
  detail: string,
  instance: string,
  fields?: readonly FieldProblem[],
): Problem {
  return {
    type: `urn:hermes:reason:${reason}`,
    title: reason.replace(/_/g, ' '),
    status,
    detail,
    instance,
    reason,
    ...(fields && fields.length > 0 ? { fields } : {}),
  };
}
