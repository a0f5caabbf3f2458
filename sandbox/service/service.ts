/**
 * The imitated service: approvals, work items (`tasks/`), test cases and accounts (`users/`), over HTTP as its
 * interface says. It shares no code with the bot, so that it cannot share the bot's mistakes.
 */

import type { Changes } from '../changes.ts';
import type { Exchange } from '../exchange.ts';
import { createFaults } from '../faults.ts';
import { createJournal } from '../journal.ts';
import type { Timers } from '../timers.ts';
import { carryOut, type ServiceArrival } from './carry-out.ts';
import { changeService } from './change-service.ts';
import { seedMemory } from './memory.ts';
import { readTarget } from './read-target.ts';
import type { Service, ServiceFault, ServiceRequest } from './service-handle.ts';
import { withPermissions } from './spaces.ts';
import { changeTasks } from './tasks/change-tasks.ts';
import { errorAnswer } from './variant.ts';

export interface ServiceNeeds {
  readonly now: () => number;
  /** 32 characters or more, safe in a path. */
  readonly randomToken: () => string;
  readonly randomUuid: () => string;
  readonly changes: Changes;
  readonly closed: AbortSignal;
  readonly timers: Timers;
  readonly apiKey: string;
  readonly scimToken: string;
}

export interface RunningService {
  readonly handle: Service;
  /** `path` is what follows `/service`. */
  readonly answer: (exchange: Exchange, path: string) => Promise<void>;
  readonly reset: () => void;
}

export function createService(needs: ServiceNeeds): RunningService {
  const changed = needs.changes.notify;
  let memory = seedMemory();
  const journal = createJournal(
    (arrival: ServiceArrival, answer): ServiceRequest => ({
      ...arrival,
      answered: answer?.status ?? null,
    }),
    changed,
  );
  const faults = createFaults<ServiceArrival, ServiceFault>({
    closed: needs.closed,
    timers: needs.timers,
    refusal: (status) => ({ error: status === 429 ? 'Too many requests.' : 'Internal error.' }),
    refused: ({ words = 'This is not accepted.' }) => ({ status: 400, body: { error: words } }),
  });

  const answer = async (exchange: Exchange, path: string): Promise<void> => {
    const target = readTarget(exchange, path);
    if (typeof target === 'number') {
      exchange.respond(errorAnswer(target, 'There is nothing here.', memory.variant));
      return;
    }
    const hasAuthorization = exchange.headers.authorization !== undefined;
    const request: ServiceArrival = { ...target, hasAuthorization, at: needs.now() };
    const answered = journal.arrive(request);
    const matches = (fault: ServiceFault): boolean =>
      fault.operation === undefined || fault.operation === request.operation;
    const given = await faults.carryOut(exchange, { request, matches }, () => {
      const done = carryOut(exchange, request, { ...needs, memory });
      changed();
      return done;
    });
    answered(given);
  };

  return {
    answer,
    handle: {
      ...changeService({ ...needs, memory: () => memory, changed }),
      tasks: changeTasks({ ...needs, memory: () => memory, changed }),
      testProjects: () => memory.testProjects,
      permit: (space, patch) => {
        memory.spaces = withPermissions(memory.spaces, space, patch);
        changed();
      },
      requests: (operation) =>
        journal
          .entries()
          .filter((request) => operation === undefined || request.operation === operation),
      setVariant: (patch) => {
        memory.variant = { ...memory.variant, ...patch };
      },
      get variant() {
        return memory.variant;
      },
      fault: faults.add,
      clearFaults: faults.clear,
      until: needs.changes.until,
    },
    reset: () => {
      memory = seedMemory();
      journal.clear();
      faults.clear();
    },
  };
}
