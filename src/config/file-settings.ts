import type { Config, IdentityRule, Route } from './config.ts';
import { casesReader, checkCases } from './file-cases.ts';
import { catalogueReader } from './file-catalogue.ts';
import { type DialectNeeds, dialectReader } from './file-dialect.ts';
import { linksReader } from './file-links.ts';
import { checkMove, moveReader } from './file-move.ts';
import { list, named, optional, type Reader, required, section } from './file-reader.ts';
import { groupId, routesReader, userId } from './file-routes.ts';
import { type NamedSource, type SourcesNeeds, sourcesReader } from './file-sources.ts';
import { duration, flag, oneOf, text, wholeNumber } from './file-values.ts';
import { readTeam } from './slack-ids.ts';

/** Everything that gatepost.yaml sets, with the defaults of what it leaves out. */
export interface FileSettings
  extends Pick<
    Config,
    | 'identityOverrides'
    | 'identityUserId'
    | 'teams'
    | 'administrators'
    | 'budgetPerMinute'
    | 'watchMaxAgeMs'
    | 'retention'
    | 'dialect'
    | 'move'
    | 'cases'
    | 'accounts'
    | 'catalogue'
    | 'links'
  > {
  readonly sources: readonly NamedSource[];
  readonly routes: readonly Route[];
}

export interface SettingsNeeds extends SourcesNeeds, DialectNeeds {
  /** Of a route that does not say, and of moves and test cases. */
  readonly identity: IdentityRule;
}

/** Reads the file's plain values; nothing at all is all defaults. */
export function settingsReader(needs: SettingsNeeds): Reader<FileSettings> {
  const form = section({
    sources: sourcesReader(needs),
    routes: routesReader(needs),
    identity: section({
      userId: optional(oneOf('id', 'externalId', 'none'), 'id'),
      overrides: named(userId, required(text)),
    }),
    teams: list(required((value) => readTeam(text(value)))),
    administrators: section({
      users: list(required(userId)),
      groups: list(required(groupId)),
    }),
    budget: section({ perMinute: optional(wholeNumber(1, 100_000), 240) }),
    watch: section({ maxAge: optional(duration, duration('7d')) }),
    retention: section({
      done: optional(duration, duration('30d')),
      audit: optional(duration, duration('400d')),
    }),
    dialect: dialectReader(needs),
    move: moveReader(needs),
    cases: casesReader(needs),
    accounts: section({ tellOfLeavers: optional(flag, false) }),
    catalogue: catalogueReader(),
    links: linksReader,
  });
  return {
    keys: form.keys,
    read(value, place) {
      const { identity, budget, watch, retention, routes, ...rest } = form.read(value, place);
      checkMove(rest, place, needs);
      checkCases(rest, place, needs);
      return {
        ...rest,
        routes: [...routes.values()],
        identityOverrides: Object.fromEntries(identity.overrides),
        identityUserId: identity.userId,
        budgetPerMinute: budget.perMinute,
        watchMaxAgeMs: watch.maxAge,
        retention: { doneMs: retention.done, auditMs: retention.audit },
      };
    },
  };
}
