import { HermesError } from '../../../shared/errors.js';

/** The life of one set of doors. After `revoke` whoever still holds one gets `instance_lost` from it. */
export interface Revocation {
  readonly revoked: boolean;
  /** @throws HermesError `instance_lost` ("Crashed") when the doors were taken away. */
  check(): void;
  /** The work's outcome, or `instance_lost` as soon as the doors are taken away; the late outcome is dropped. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** Checked before each item. */
  holdAll<T>(items: AsyncIterable<T>): AsyncIterable<T>;
  revoke(): void;
}

export function createRevocation(component: string): Revocation {
  const held = new Set<(error: HermesError) => void>();
  let revoked = false;
  const crashed = (): HermesError => new HermesError('instance_lost', `Crashed: ${component}`, { component });
  const check = (): void => {
    if (revoked) throw crashed();
  };
  const hold = async <T>(work: () => Promise<T>): Promise<T> => {
    check();
    return new Promise<T>((resolve, reject) => {
      held.add(reject);
      const release = (): boolean => held.delete(reject);
      work().then(
        (value) => release() && resolve(value),
        (thrown: unknown) => release() && reject(thrown),
      );
    });
  };
  return {
    get revoked() {
      return revoked;
    },
    check,
    hold,
    async *holdAll<T>(items: AsyncIterable<T>) {
      check();
      for await (const item of items) {
        check();
        yield item;
      }
    },
    revoke() {
      revoked = true;
      for (const reject of [...held]) reject(crashed());
      held.clear();
    },
  };
}
