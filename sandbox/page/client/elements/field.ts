import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** The label, hint and error of an input. */
export interface Field {
  readonly inputId: string;
  readonly labelId: string;
  /** Ids of the hint and the error, separated by a space; empty for none. */
  readonly noteIds: string;
  readonly isWrong: boolean;
  readonly isOptional: boolean;
  /** The app is notified of the input before the form is submitted. */
  readonly isDispatched: boolean;
}

/** null for an element without a label block. */
export const FieldContext = createContext<Field | null>(null);

/** Attributes of a field's single control. @param name its accessible name if it has no label */
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

/** Attributes of a group of controls. */
export function useFieldGroup(name: string) {
  const field = useContext(FieldContext);
  if (!field) return { 'aria-label': name };
  const { labelId, noteIds } = field;
  return { 'aria-labelledby': labelId, ...(noteIds && { 'aria-describedby': noteIds }) };
}
