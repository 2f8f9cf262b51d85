import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { parse, parseAllDocuments } from 'yaml'

export const project = join(import.meta.dirname, '../..')
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Record<
  string,
  unknown
>

export async function composeFile(
  path: string,
): Promise<{ services: Record<string, Record<string, unknown>> }> {
  return parse(await readFile(join(project, path), 'utf8'), { merge: true, maxAliasCount: -1 })
}

/** What stands for each secret. */
export const secret = 'a secret of this test alone 0123456789'

/** A value of a compose file with what an .env would give. */
export function filledIn(value: string): string {
  const given: Record<string, string> = {
    OAUTH_ISSUER: 'https://sso.example.org',
    LDAP_BASE: 'dc=example,dc=org',
    SMTP_PORT: '587',
  }
  return String(value).replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => given[name] ?? secret)
}

/** The manifests of a folder by file, its kustomization apart. */
export async function manifestsIn(folder: string) {
  const files = (await readdir(join(project, folder))).sort()
  const read = async (file: string) =>
    parseAllDocuments(await readFile(join(project, folder, file), 'utf8')).map(
      (each) => each.toJS() as Manifest,
    )
  const [kustomization] = (await read('kustomization.yaml')) as unknown as [Record<string, unknown>]
  const manifests: Manifest[] = []
  const names = files.filter((file) => file !== 'kustomization.yaml')
  for (const file of names) manifests.push(...(await read(file)))
  return { kustomization, files: names, manifests }
}

/** What the published schemas of Kubernetes say against a manifest; nothing where it is right. */
export async function schemaFaults({ apiVersion, kind, ...rest }: Manifest): Promise<string[]> {
  const models = await import(`kubernetes-models/${apiVersion}`)
  try {
    new models[kind](rest).validate()
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

/**
 * What the types say against manifests: names of fields that there are none of, which the schemas let pass and Kubernetes
 * drops without a word.
 */
export function unknownFields(manifests: Manifest[]): string[] {
  const source = manifests
    .map((manifest, at) => {
      const from = JSON.stringify(`kubernetes-models/${manifest.apiVersion}`)
      return `export const m${at}: import(${from}).I${manifest.kind} = ${JSON.stringify(manifest)}`
    })
    .join('\n')
  const name = join(project, 'test/deploy/manifests-as-types.ts')
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (path) => path === name || fileExists(path)
  host.getSourceFile = (path, ...more) =>
    path === name ? ts.createSourceFile(path, source, ts.ScriptTarget.ESNext) : getSourceFile(path, ...more)
  const program = ts.createProgram([name], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}
