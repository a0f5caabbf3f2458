import type { Examples } from '../../ask/command-line.ts';
import { ASK_EXAMPLES } from '../../ask/examples.ts';

/** Examples, by command. */
export const EXAMPLES: Examples = {
  gatepost: [
    'gatepost setup',
    'gatepost start',
    'gatepost ask --title "Deploy 4.2" --run -- ./deploy.sh',
  ],
  'gatepost start': [
    'gatepost start',
    'GATEPOST_CONFIG=/etc/gatepost/gatepost.yaml gatepost start',
  ],
  'gatepost demo': ['gatepost demo', 'gatepost demo --port 5000'],
  'gatepost setup': [
    'gatepost setup',
    'gatepost setup --http https://gatepost.example.com --features approvals',
    'gatepost setup --check',
  ],
  ...ASK_EXAMPLES,
  'gatepost mcp': [
    'gatepost mcp',
    'claude mcp add gatepost -e GATEPOST_URL=https://gatepost.example.com -e GATEPOST_INTAKE_SECRET=… -- gatepost mcp',
  ],
  'gatepost people': ['gatepost people find ana', 'gatepost people import users.csv --dry-run'],
  'gatepost people list': ['gatepost people list --active', 'gatepost people list --json'],
  'gatepost people find': [
    'gatepost people find ana',
    'gatepost people find example.com --deactivated',
  ],
  'gatepost people show': [
    'gatepost people show ana@example.com',
    'gatepost people show ana@example.com --json',
  ],
  'gatepost people create': [
    'gatepost people create --user-name ana@example.com --display-name "Ana Lim"',
    'gatepost people create --user-name ana@example.com --title Engineer --dry-run',
  ],
  'gatepost people update': [
    'gatepost people update ana@example.com --title "Lead engineer"',
    'gatepost people update ana@example.com --department Platform --yes',
  ],
  'gatepost people deactivate': [
    'gatepost people deactivate ana@example.com --dry-run',
    'gatepost people deactivate ana@example.com --yes',
  ],
  'gatepost people activate': [
    'gatepost people activate ana@example.com',
    'gatepost people activate ana@example.com --yes --json',
  ],
  'gatepost people delete': [
    'gatepost people delete ana@example.com --dry-run',
    'gatepost people delete ana@example.com --yes',
  ],
  'gatepost people import': [
    'gatepost people import users.csv --dry-run',
    'gatepost people import users.csv --yes --json --per-minute 60',
  ],
  'gatepost doctor': ['gatepost doctor', 'gatepost doctor --interactive', 'gatepost doctor --json'],
  'gatepost audit': ['gatepost audit list --since 24h', 'gatepost audit verify'],
  'gatepost audit list': [
    'gatepost audit list --since 24h --kind approvals.ballot',
    'gatepost audit list --who U0123ABCD',
  ],
  'gatepost audit show': ['gatepost audit show 7H2N-K4QM', 'gatepost audit show 7H2N-K4QM --json'],
  'gatepost audit export': [
    'gatepost audit export --since 30d > audit.jsonl',
    'gatepost audit export --format csv --kind approvals > audit.csv',
  ],
  'gatepost audit report': [
    'gatepost audit report --from 2026-10-01 --to 2026-12-31 > report.html',
    'gatepost audit report --from 2026-10-01 --route production --csv > report.csv',
  ],
  'gatepost audit verify': [
    'gatepost audit verify --head > head.txt',
    'gatepost audit verify "$(cat head.txt)"',
    'gatepost audit verify --against audit.log',
  ],
  'gatepost close': [
    'gatepost close production --until "Mon 08:00" --why "Black Friday"',
    'gatepost close all --until "in 2 hours" --why "Incident 4711" --json',
  ],
  'gatepost open': ['gatepost open production', 'gatepost open all --json'],
  'gatepost who': [
    'gatepost who --route production',
    'gatepost who --route production --requested-by cleo@example.com --need "Security=S0SEC" --json',
  ],
  'gatepost manifest': [
    'gatepost manifest --url https://gatepost.example.com',
    'gatepost manifest --socket --json',
    'gatepost manifest --url https://gatepost.example.com --features approvals',
  ],
  'gatepost config': ['gatepost config schema > gatepost.schema.json'],
  'gatepost config schema': ['gatepost config schema > gatepost.schema.json'],
  'gatepost keys': ['gatepost keys new', 'gatepost keys public > gatepost.pem'],
  'gatepost keys new': ['gatepost keys new', 'gatepost keys new --id k2'],
  'gatepost keys public': ['gatepost keys public > gatepost.pem', 'gatepost keys public --id k1'],
};
