// Before `exec node`: the packages bring the Node that npm then finds first, and no older one stays as a parent.
// MALLOC_MMAP_THRESHOLD_ (glibc) gives the 19 MB of each argon2id hash back; else every thread of Node keeps them.
import { installPackages } from './launch.mjs'

installPackages()
