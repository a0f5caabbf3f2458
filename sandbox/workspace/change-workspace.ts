import { changeChannels } from './change-channels.ts';
import { changeMessages } from './change-messages.ts';
import { changePeople } from './change-people.ts';
import type { ChangeNeeds } from './happen.ts';

/** The part of the handle that does what people and administrators of a workspace do. */
export function changeWorkspace(needs: ChangeNeeds) {
  return { ...changeMessages(needs), ...changeChannels(needs), ...changePeople(needs) };
}
