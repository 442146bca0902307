import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query'
import type { TSchema } from 'typebox'
import type { CallInput, CallReply } from '#client/client.ts'
import { everyPage } from '#client/every-page.ts'
import type { ChangeKind } from '#contract/api/change.ts'
import type { Endpoint, ReplyForm } from '#contract/endpoint.ts'
import type { Pagination } from '#contract/page.ts'
import { toast } from '../ui/feedback/toast.tsx'
import { type Account, useAccount } from './account.tsx'
import { explain } from './explain.ts'

/**
 * What a page reads. The second word of the key is the kind of thing that it shows, so that hearing of a change of
 * that kind makes it ask again: nothing is polled, see `changes.ts`.
 */
export const read = <
  On extends string,
  Query extends TSchema | undefined,
  Body extends TSchema | 'raw' | undefined,
  Reply extends ReplyForm,
>(
  account: Account,
  kind: ChangeKind | 'operator',
  row: Endpoint<On, Query, Body, Reply>,
  input?: Omit<CallInput<On, Query, Body>, 'signal'>,
) =>
  queryOptions({
    queryKey: [account.id, kind, row.on, input ?? null],
    queryFn: ({ signal }): Promise<CallReply<Reply>> =>
      account.client.call(row, ...([{ ...input, signal }] as never)),
  })

/** Reads for the page's account and waits: the page shows its skeleton, or what went wrong, meanwhile. */
export const useRead = <
  On extends string,
  Query extends TSchema | undefined,
  Body extends TSchema | 'raw' | undefined,
  Reply extends ReplyForm,
>(
  kind: ChangeKind | 'operator',
  row: Endpoint<On, Query, Body, Reply>,
  input?: Omit<CallInput<On, Query, Body>, 'signal'>,
): CallReply<Reply> => useSuspenseQuery(read(useAccount(), kind, row, input)).data

/** Reads for a part of a page that can do without: `data` is undefined until it is there. */
export const useLater = <
  On extends string,
  Query extends TSchema | undefined,
  Body extends TSchema | 'raw' | undefined,
  Reply extends ReplyForm,
>(
  kind: ChangeKind | 'operator',
  row: Endpoint<On, Query, Body, Reply>,
  input?: Omit<CallInput<On, Query, Body>, 'signal'>,
  options: { readonly enabled?: boolean } = {},
) => useQuery({ ...read(useAccount(), kind, row, input), ...options })

/**
 * Reads a whole list of the page's account, however many pages it comes in, for what has to find any of its rows: undefined
 * until the last page is there. `rowsOf` picks the list out of an answer.
 */
export function useEvery<
  On extends string,
  Query extends TSchema | undefined,
  Body extends TSchema | 'raw' | undefined,
  Reply extends ReplyForm,
  Row,
>(
  kind: ChangeKind,
  row: Endpoint<On, Query, Body, Reply>,
  rowsOf: (reply: CallReply<Reply>) => readonly Row[],
  options: { readonly enabled?: boolean } = {},
): readonly Row[] | undefined {
  const { id, client } = useAccount()
  const { data } = useQuery({
    queryKey: [id, kind, row.on, 'every'],
    queryFn: ({ signal }): Promise<readonly Row[]> =>
      everyPage(
        (query) =>
          client.call(row, ...([{ query, signal }] as never)) as Promise<
            CallReply<Reply> & { readonly pagination: Pagination }
          >,
        rowsOf,
      ),
    ...options,
  })
  return data
}

/** What a list that goes on has so far, and how to get more of it; see `ShowOlder`. */
export interface Pages<Row> {
  readonly rows: readonly Row[]
  /** False once everything is here. */
  readonly more: boolean
  readonly busy: boolean
  showOlder(): void
}

/**
 * Reads a list that pages by time and waits for its first page. `rowsOf` picks the list out of an answer. A change of
 * the kind has every page that is shown asked for again.
 */
export function useReadPages<
  On extends string,
  Query extends TSchema | undefined,
  Body extends TSchema | 'raw' | undefined,
  Reply extends ReplyForm,
  Row,
>(
  kind: ChangeKind | 'operator',
  row: Endpoint<On, Query, Body, Reply>,
  input: Omit<CallInput<On, Query, Body>, 'signal'>,
  rowsOf: (reply: CallReply<Reply>) => readonly Row[],
): Pages<Row> {
  const account = useAccount()
  const query = useSuspenseInfiniteQuery({
    queryKey: [account.id, kind, row.on, input, 'pages'],
    queryFn: ({ signal, pageParam }): Promise<CallReply<Reply>> => {
      const before = pageParam === undefined ? {} : { until: pageParam }
      const asked = { ...input, query: { ...(input.query as object | undefined), ...before }, signal }
      return account.client.call(row, ...([asked] as never))
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (reply: CallReply<Reply>) =>
      (reply as { readonly pagination?: Pagination }).pagination?.next ?? undefined,
  })
  return {
    rows: query.data.pages.flatMap(rowsOf),
    more: query.hasNextPage,
    busy: query.isFetchingNextPage,
    showOlder: () => void query.fetchNextPage(),
  }
}

/** Everything that shows one of these kinds asks again. */
export const refresh = (
  queries: QueryClient,
  accountId: string,
  kinds: readonly string[],
): Promise<unknown> =>
  Promise.all(kinds.map((kind) => queries.invalidateQueries({ queryKey: [accountId, kind] })))

/**
 * Something that a person does. What it changes is asked for again when it is done; what goes wrong is said in
 * words, in a notice unless the form shows it itself (`quiet`).
 */
export function useAction<Input, Output>(
  act: (input: Input, account: Account) => Promise<Output>,
  options: {
    readonly changes: readonly (ChangeKind | 'operator')[]
    readonly done?: string | ((output: Output, input: Input) => string)
    readonly after?: (output: Output, input: Input) => void
    readonly quiet?: boolean
  },
) {
  const account = useAccount()
  const queries = useQueryClient()
  const action = useMutation({
    mutationFn: (input: Input) => act(input, account),
    onSuccess: async (output, input) => {
      await refresh(queries, account.id, options.changes)
      const { done } = options
      if (done !== undefined) toast.good(typeof done === 'string' ? done : done(output, input))
      options.after?.(output, input)
    },
    onError: (error) => {
      if (options.quiet !== true) toast.bad(explain(error))
    },
  })
  /** What went wrong the last time, in words. */
  const problem = action.error === null ? undefined : explain(action.error)
  return { ...action, problem }
}
