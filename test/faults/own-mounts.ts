/**
 * Imported first by a test that mounts something. Who may not mount gets a namespace of his own, in which he may: the file
 * begins anew in there. Where the kernel allows neither, the test says so.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const unshare = ['--user', '--map-root-user', '--mount']
const succeeds = (...[command = '', ...words]: string[]) => spawnSync(command, words).status === 0

function mayMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'latchkey-mount-'))
  const mounted = succeeds('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place)
  if (mounted) succeeds('umount', place)
  rmdirSync(place)
  return mounted
}

if (!mayMount() && succeeds('unshare', ...unshare, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir())) {
  // In this process's place: nothing that it began goes on out here.
  process.execve?.('/usr/bin/unshare', ['unshare', ...unshare, process.execPath, ...process.argv.slice(1)])
}
