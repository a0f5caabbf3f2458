import { type RefusalCode } from '../../../src/approvals/electorate/eligible.ts';
