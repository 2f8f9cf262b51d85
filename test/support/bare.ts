const { PATH, NODE_COMPILE_CACHE } = process.env

/** What a program of ours is started with beside its settings: nothing else of the tests' own environment. */
export const bareEnvironment: Record<string, string> = {
  PATH: String(PATH),
  ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
}
