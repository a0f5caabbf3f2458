import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** The label around an input, and what is said about it. */
export interface Field {
  readonly inputId: string;
  readonly labelId: string;
  /** Ids of the hint and of the error, with a space between; empty for none. */
  readonly noteIds: string;
  readonly isWrong: boolean;
  readonly isOptional: boolean;
  /** The app hears of what is entered before the whole is sent. */
  readonly isDispatched: boolean;
}

/** null for an element that stands alone. */
export const FieldContext = createContext<Field | null>(null);

/** Attributes of the one control of a field. @param name what it is called where it stands alone */
export function useField(name: string) {
  const field = useContext(FieldContext);
  if (!field) return { 'aria-label': name };
  const { inputId: id, noteIds, isWrong, isOptional } = field;
  return {
    id,
    ...(noteIds && { 'aria-describedby': noteIds }),
    'aria-invalid': isWrong,
    'aria-required': !isOptional,
  };
}

/** Attributes of what holds several controls. */
export function useFieldGroup(name: string) {
  const field = useContext(FieldContext);
  if (!field) return { 'aria-label': name };
  const { labelId, noteIds } = field;
  return { 'aria-labelledby': labelId, ...(noteIds && { 'aria-describedby': noteIds }) };
}
