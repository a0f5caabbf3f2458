import type { RecordDependencies } from '../../core/engine/put-record.ts';
import type { AdministratorDependencies } from '../../core/people/permission.ts';
import type { FormDependencies } from '../../core/slack/show-form.ts';
import type { Places } from './destinations.ts';
import type { MayMoveNeeds } from './may-move.ts';
import type { ReadItemNeeds } from './read-item.ts';

/** What everything around the modal of `/move-task` works with. */
export interface TaskDependencies
  extends RecordDependencies,
    AdministratorDependencies,
    FormDependencies,
    MayMoveNeeds {
  readonly places: Places;
  readonly items: ReadItemNeeds;
  readonly newId: () => string;
}
