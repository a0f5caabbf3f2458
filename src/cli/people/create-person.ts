import { isDeepStrictEqual } from 'node:util';
import { foreseeProvisioning, wouldSentence } from '../../accounts/provisioning.ts';
import type { NewUser } from '../../service/create-user.ts';
import { type ChangeOptions, makeChange } from './make-change.ts';
import type { Session } from './session.ts';
import { EXIT, type ExitCode } from './terminal.ts';

/** `people create`: looks first, and sends only what will not collide. */
export async function createPerson(
  session: Session,
  user: NewUser,
  options: ChangeOptions,
): Promise<ExitCode> {
  const foreseen = await foreseeProvisioning(session.users, user);
  if (foreseen.kind !== 'collision' && foreseen.kind !== 'several') {
    const isStillSo = async () =>
      isDeepStrictEqual(await foreseeProvisioning(session.users, user), foreseen);
    return makeChange(session, { kind: 'create', user, foreseen }, options, isStillSo);
  }
  session.output.note(wouldSentence(foreseen, user.userName));
  session.output.json([]);
  return EXIT.notDone;
}
