import { join } from 'node:path'

/** The unpacked servers are shared by all tests of this clone. */
export const testDataDir = join(import.meta.dirname, '../../.data')
