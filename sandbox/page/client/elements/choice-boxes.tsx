import type { Checkboxes, RadioButtons } from '@slack/types';
import { useId } from 'preact/hooks';
import { Text } from '../text/text-object.tsx';
import { useFieldGroup } from './field.ts';
import { chosenIn } from './held.ts';
import { offerOf } from './option-list.ts';
import { useSurface } from './surface.ts';

/** All options below each other: one of them, or any of them. */
export function ChoiceBoxes({ element }: { element: Checkboxes | RadioButtons }) {
  const { surface, key, held } = useSurface(element);
  const name = useId();
  const chosen = chosenIn(held);
  const isMany = element.type === 'checkboxes';
  const toggle = (option: (typeof element.options)[number], isOn: boolean): void => {
    const { value, label } = offerOf(option);
    const others = isMany ? chosen.filter((each) => each.value !== value) : [];
    void surface.choose(key, isOn ? [...others, { value, label }] : others, element.type);
  };
  return (
    <div class="choice-boxes" role={isMany ? 'group' : 'radiogroup'} {...useFieldGroup('Options')}>
      {element.options.map((option) => (
        <label key={option.value}>
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.some(({ value }) => value === option.value)}
            onChange={({ currentTarget }) => toggle(option, currentTarget.checked)}
          />
          <span>
            <Text of={option.text} />
            {option.description && (
              <small>
                <Text of={option.description} />
              </small>
            )}
          </span>
        </label>
      ))}
    </div>
  );
}
