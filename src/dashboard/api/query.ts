import {
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from '@tanstack/react-query'
import type { CallInput, CallReply } from '#client/client.ts'
import { everyPage } from '#client/every-page.ts'
import type { ChangeKind } from '#contract/api/change.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Pagination } from '#contract/page.ts'
import { toast } from '../ui/feedback/toast.tsx'
import { type Account, useAccount } from './account.tsx'
import { explain } from './explain.ts'

type InputOf<Row extends Endpoint> =
  Row extends Endpoint<infer On, infer Query, infer Body> ? Omit<CallInput<On, Query, Body>, 'signal'> : never
type ReplyTo<Row extends Endpoint> = CallReply<Row['reply']>

const ask = <Row extends Endpoint>({ client }: Account, row: Row, input: object) =>
  client.call(row as Endpoint, input as never) as Promise<ReplyTo<Row>>

/**
 * What a page reads. The second word of the key is the kind of thing that it shows, so that hearing of a change of
 * that kind makes it ask again: nothing is polled, see `changes.ts`.
 */
export const read = <Row extends Endpoint>(
  account: Account,
  kind: ChangeKind | 'operator',
  row: Row,
  input?: InputOf<Row>,
) =>
  queryOptions({
    queryKey: [account.id, kind, row.on, input ?? null],
    queryFn: ({ signal }) => ask(account, row, { ...input, signal }),
  })

/** Reads for the page's account and waits: the page shows its skeleton, or what went wrong, meanwhile. */
export const useRead = <Row extends Endpoint>(
  kind: ChangeKind | 'operator',
  row: Row,
  input?: InputOf<Row>,
): ReplyTo<Row> => useSuspenseQuery(read(useAccount(), kind, row, input)).data

/** Reads for a part of a page that can do without: `data` is undefined until it is there. */
export const useLater = <Row extends Endpoint>(
  kind: ChangeKind | 'operator',
  row: Row,
  input?: InputOf<Row>,
  options: { readonly enabled?: boolean } = {},
) => useQuery({ ...read(useAccount(), kind, row, input), ...options })

/**
 * Reads a whole list of the page's account, however many pages it comes in, for what has to find any of its rows: undefined
 * until the last page is there. `rowsOf` picks the list out of an answer.
 */
export function useEvery<Row extends Endpoint, Item>(
  kind: ChangeKind,
  row: Row,
  rowsOf: (reply: ReplyTo<Row>) => readonly Item[],
  options: { readonly enabled?: boolean } = {},
): readonly Item[] | undefined {
  const account = useAccount()
  const { data } = useQuery({
    queryKey: [account.id, kind, row.on, 'every'],
    queryFn: ({ signal }): Promise<readonly Item[]> =>
      everyPage(
        (query) =>
          ask(account, row, { query, signal }) as Promise<ReplyTo<Row> & { readonly pagination: Pagination }>,
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
export function useReadPages<Row extends Endpoint, Item>(
  kind: ChangeKind | 'operator',
  row: Row,
  input: InputOf<Row>,
  rowsOf: (reply: ReplyTo<Row>) => readonly Item[],
): Pages<Item> {
  const account = useAccount()
  const query = useSuspenseInfiniteQuery({
    queryKey: [account.id, kind, row.on, input, 'pages'],
    queryFn: ({ signal, pageParam }) => {
      const before = pageParam === undefined ? {} : { until: pageParam }
      return ask(account, row, {
        ...input,
        query: { ...(input.query as object | undefined), ...before },
        signal,
      })
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (reply: ReplyTo<Row>) =>
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
