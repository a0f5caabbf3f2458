/**
 * The imitated automation: it reaches an approval gate of the imitated service and sends the token to the bot's intake,
 * as a customer's automation would.
 */

import { isObject, parseJson } from '../exchange.ts';
import type { Service } from '../service/service-handle.ts';

export interface Automation {
  /** Opens an approval in the service and sends its token to the bot's intake. */
  ask(question?: Question): Promise<Asked>;
  /** The intake's answer about an approval, by the id it returned. */
  status(id: string): Promise<IntakeAnswer>;
  check(id: string): Promise<IntakeAnswer>;
  withdraw(id: string): Promise<IntakeAnswer>;
  /** Reports the result of what was approved. */
  report(id: string, result: Report): Promise<IntakeAnswer>;
  /** What was requested with this token; undefined if the intake did not receive it, or refused it. */
  asked(token: string): { readonly id: string; readonly title: string | undefined } | undefined;
}

export interface Question {
  /** The service's own prompt. */
  readonly prompt?: string;
  /** Sends this token again instead of opening a new approval. */
  readonly token?: string;
  /** Asks for a gate of the bot's own with this key: the service does not know it. */
  readonly key?: string;
  readonly title?: string;
  readonly message?: string;
  /** What exactly is approved. */
  readonly change?: string;
  readonly route?: string;
  readonly channel?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly link?: string;
  readonly requestedBy?: {
    readonly email?: string;
    readonly slackUser?: string;
    readonly name?: string;
    /** In another system. */
    readonly login?: string;
    readonly at?: string;
  };
  readonly reviewers?: { readonly users?: readonly string[]; readonly groups?: readonly string[] };
  readonly quorum?: number;
  readonly need?: readonly NamedNeed[];
  readonly supersedes?: string;
  readonly expiresAt?: string;
}

export interface Report {
  readonly state: 'running' | 'succeeded' | 'failed';
  readonly text?: string;
  readonly link?: string;
  readonly until?: string;
  readonly claim?: string;
}

/** `count` of these people have to approve. */
export interface NamedNeed {
  readonly name: string;
  readonly of: NonNullable<Question['reviewers']>;
  readonly count?: number;
}

export interface IntakeAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface Asked extends IntakeAnswer {
  /** Empty for a gate of the bot's own. */
  readonly token: string;
  /** The id the intake returned; empty if it refused. */
  readonly id: string;
}

export interface AutomationNeeds {
  readonly service: Service;
  readonly intakeSecret: string;
  /** Throws until the bot is connected. */
  readonly intakeUrl: () => string;
}

/** An automation of the service with an Approval node. It sends its tokens to the bot. */
export function createAutomation(needs: AutomationNeeds): Automation {
  const call = async (url: string, method: string, body?: unknown): Promise<IntakeAnswer> => {
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${needs.intakeSecret}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: parseJson(text) ?? text };
  };

  const about = (id: string): string => `${needs.intakeUrl()}/${encodeURIComponent(id)}`;
  const taken = new Map<string, { readonly id: string; readonly title: string | undefined }>();

  return {
    ask: async ({ prompt, token: known, ...question }: Question = {}) => {
      const opened = () => needs.service.createApproval(prompt === undefined ? {} : { prompt });
      const isOwn = question.key !== undefined;
      const token = isOwn ? '' : (known ?? opened().token);
      const answer = await call(needs.intakeUrl(), 'POST', {
        ...(!isOwn && { token }),
        ...question,
      });
      const id = isObject(answer.body) && typeof answer.body.id === 'string' ? answer.body.id : '';
      if (id !== '' && !isOwn) taken.set(token, { id, title: question.title });
      return { ...answer, token, id };
    },
    status: (id) => call(about(id), 'GET'),
    check: (id) => call(`${about(id)}/check`, 'POST'),
    withdraw: (id) => call(`${about(id)}/withdraw`, 'POST'),
    report: (id, result) => call(`${about(id)}/result`, 'POST', result),
    asked: (token) => taken.get(token),
  };
}
