/** The organisation of `--demo`: each group with what it is for and the group it is nested in. */
export const organisation: Record<string, { description: string; under?: string }> = {
  company: { description: 'Everybody' },
  ...below('company', {
    engineering: 'Builds and runs the product',
    commercial: 'Finds and keeps customers',
    operations: 'Keeps the company going',
    research: 'Looks further ahead',
  }),
  ...below('engineering', {
    platform: 'What all products stand on',
    product: 'What customers see',
    reliability: 'Runs it day and night',
    'quality-assurance': 'Finds it before customers do',
  }),
  ...below('platform', {
    identity: 'Sign-in and directory',
    storage: 'Databases and files',
    network: 'Wires',
  }),
  ...below('product', {
    web: 'Web application',
    mobile: 'Phone applications',
    design: 'How it looks and feels',
  }),
  ...below('reliability', { oncall: 'Answers the pager', observability: 'Logs, metrics, traces' }),
  ...below('quality-assurance', { 'test-automation': 'Machines that test', 'release-desk': 'Says go' }),
  ...below('commercial', { sales: 'Sells', marketing: 'Makes it known', support: 'Helps customers' }),
  ...below('sales', {
    'sales-emea': 'Europe, Middle East, Africa',
    'sales-americas': 'Americas',
    'sales-apac': 'Asia',
  }),
  ...below('marketing', { events: 'Fairs and talks', writing: 'Pages and papers' }),
  ...below('support', { 'support-first': 'First line', 'support-second': 'Second line' }),
  ...below('operations', {
    finance: 'Money',
    people: 'People and hiring',
    legal: 'Contracts',
    office: 'Rooms',
    procurement: 'Buys',
  }),
  ...below('finance', { accounting: 'Books', payroll: 'Salaries' }),
  ...below('people', { hiring: 'New colleagues' }),
  ...below('research', { 'machine-learning': 'Models', 'human-factors': 'People and machines' }),
  ...below('legal', { privacy: 'Data protection' }),
}

export const clients = [
  client('Wiki', ['https://wiki.example.org/oidc/callback']),
  client('Code review', ['https://review.example.org/login/callback'], ['engineering']),
  client('Payroll', ['https://payroll.example.org/sso'], ['finance']),
  client('Preview deployments', ['https://*.preview.example.org/callback'], ['product']),
  client('Local development', ['http://localhost:8080/callback', 'http://127.0.0.1:8080/callback']),
]

export const invited = [
  { mail: 'new.engineer@example.org', groups: ['web'] },
  { mail: 'new.analyst@example.org', groups: ['accounting'] },
  { mail: 'visiting.researcher@example.org', groups: ['machine-learning', 'human-factors'] },
  { mail: 'summer.intern@example.org', groups: [] },
]

export const givenNames =
  words(`Ada Ahmed Aiko Alan Amara Ana Anders Beatriz Björn Carmen Chen Claire Daniel Dilnoza
  Elena Emeka Erik Fatima Felix Freya Giulia Grace Hana Hugo Ibrahim Ines Isaac Ivana Jamal Jana Jonas José Kaito Katrin
  Kofi Lars Leila Lin Lucía Mateo Maya Mei Milan Nadia Niko Noor Olga Omar Priya Zoë`)

export const surnames =
  words(`Abdi Almeida Andersson Bauer Bianchi Castro Chowdhury Costa Dubois Eze Fernández Fischer
  García Haddad Hansen Hoffmann Ivanov Jansen Kamau Khan Kim Kowalski Larsen Lee Lindqvist Marino Mensah Meyer Moreau
  Nakamura Nguyen Novak Okafor Olsen Park Patel Petrov Popescu Quispe Rossi Sato Schneider Silva Singh Svensson Tanaka
  Torres Varga Weber Yilmaz Zhang`)

function below(under: string, groups: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(groups).map(([name, description]) => [name, { description, under }]),
  )
}

function client(name: string, redirect_uris: string[], allowed_groups: string[] = []) {
  return { name, description: `${name} (demo)`, redirect_uris, allowed_groups }
}

function words(text: string): string[] {
  return text.split(/\s+/)
}
