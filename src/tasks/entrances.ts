import type { Route } from '../http/router.ts';
import type { Listeners } from '../slack/register.ts';
import { type TaskListenerNeeds, taskListeners } from './listeners.ts';
import { type TasksRouteNeeds, tasksRoute } from './tasks-route.ts';

export interface TaskEntranceNeeds extends TaskListenerNeeds, TasksRouteNeeds {
  readonly store: TaskListenerNeeds['store'] & TasksRouteNeeds['store'];
}

/** The ways into moves: what Slack sends, and what automations send. */
export function taskEntrances(needs: TaskEntranceNeeds): { listeners: Listeners; routes: Route[] } {
  return { listeners: taskListeners(needs), routes: [tasksRoute(needs)] };
}
