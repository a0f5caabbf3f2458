import { type Env, fileVariable, type ReadFile, secretIn } from './environment.ts';
import { intakeSecrets, isQuoted, QUOTED, type SecretForm, variableName } from './values.ts';

/** The secrets of the variable with this name; none if that is wrong. `problem`: what. */
export type SecretsOf = (
  variable: unknown,
  form: SecretForm,
) => { readonly secrets: readonly string[]; readonly problem?: string };

/** Reads each secret once. `isRequired`: one that is not set is a problem. */
export function secretReader(env: Env, readFile: ReadFile, isRequired: boolean): SecretsOf {
  const known = new Map<string, ReturnType<SecretsOf>>();
  return (named, form) => {
    const variable = variableName.safeParse(named).data;
    if (variable === undefined) return { secrets: [] };
    const key = `${form} ${variable}`;
    const found = known.get(key) ?? read(variable, form);
    known.set(key, found);
    return found;
  };

  function read(variable: string, form: SecretForm): ReturnType<SecretsOf> {
    const wrong = (problem: string) => ({ secrets: [], problem: `names ${variable}, ${problem}` });
    const { value, problem } = secretIn(env, variable, readFile);
    if (problem !== undefined) return wrong(`but ${fileVariable(variable)} ${problem}`);
    if (value === undefined) return isRequired ? wrong('which is not set') : { secrets: [] };
    if (isQuoted(value)) return wrong(`whose value ${QUOTED}`);
    const { data, error } = intakeSecrets(form).safeParse(value);
    return data === undefined
      ? wrong(`whose value ${error?.issues[0]?.message}`)
      : { secrets: data };
  }
}

/** How the secret of a source with this `auth` looks. */
export function formOf(auth: unknown): SecretForm {
  return auth === 'standard-webhooks' || auth === 'path' ? auth : 'bearer';
}
