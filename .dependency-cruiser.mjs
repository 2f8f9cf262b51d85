/**
 * The border of the house (docs/architecture.md): src/ decides, adapters/ speaks to other systems, types and
 * refusals travel. Type-only imports may go where values may not.
 */
const value = { dependencyTypesNot: ['type-only'] }
/** What portal and service share: the matcher of redirect URIs, and the page that says how to connect applications. */
const shared = 'src/oauth/redirect-uri\\.ts|docs/apps\\.md'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'adapters-only-through-connect',
      comment: 'src/connect.ts alone opens the adapters; everything else receives them in deps',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/connect\\.ts$' },
      to: { path: '^adapters/', ...value },
    },
    {
      name: 'adapters-decide-nothing',
      comment: 'an adapter takes types and refusals from src/, nothing else',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: '^src/', pathNot: '^src/errors\\.ts$', ...value },
    },
    {
      name: 'slices-keep-their-routes',
      comment: 'a slice uses the service or the schemas of another, never its routes; app.ts lists them all',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/.+/routes\\.ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'no-cycles',
      comment: 'modules that need each other at run time are one module',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'production-stands-alone',
      comment: 'the service knows nothing of its tests, benches and quick start',
      severity: 'error',
      from: { path: '^(src|adapters)/' },
      to: { path: '^(test|bench|quickstart|docs|portal)/' },
    },
    {
      name: 'portal-through-the-api',
      comment:
        'the portal has no privilege: of the service it knows the API document, the look and what is shared',
      severity: 'error',
      from: { path: '^portal/src/' },
      to: { pathNot: `^(portal/(src|generated)/|views/assets/|node_modules/|vite/|(${shared})$)` },
    },
    {
      name: 'shared-stands-alone',
      comment: 'what the portal shares runs in a browser: it imports nothing',
      severity: 'error',
      from: { path: `^(${shared})$` },
      to: {},
    },
    {
      name: 'areas-stand-apart',
      comment: 'what two areas need is a part',
      severity: 'error',
      from: { path: '^portal/src/areas/([^/]+)/' },
      to: { path: '^portal/src/areas/', pathNot: '^portal/src/areas/$1/' },
    },
    {
      name: 'areas-load-when-opened',
      comment: 'the first view knows of an area its routes alone',
      severity: 'error',
      from: { path: '^portal/src/(app|parts|api|i18n|main)' },
      to: { path: '^portal/src/areas/', pathNot: '/routes\\.ts$' },
    },
    {
      name: 'no-development-packages',
      comment: 'the image carries dependencies only',
      severity: 'error',
      from: { path: '^(src|adapters)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], ...value },
    },
    {
      name: 'resolvable',
      comment: 'an import that leads nowhere',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^portal/dist' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
    },
  },
}
