import { useMutation, useQueryClient } from '@tanstack/react-query'
import { told } from '../../parts/told.ts'

type Options<A> = {
  does: (given: A) => Promise<unknown>
  says: string
  renews?: readonly unknown[]
  after?: () => void
}

/** Something one does here: done, it says so and what it changed is read anew. */
export function useTask<A = void>({ does, says, renews, after }: Options<A>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: does,
    onSuccess: async () => {
      after?.()
      told(says)
      if (renews) await client.invalidateQueries({ queryKey: renews })
    },
  })
}
