/**
 * Loads the test runner of Node.js so that it learns in which test something happens from an `AsyncLocalStorage`, where it
 * would follow every promise by a hook. Such a hook makes each `await` about thirty times as expensive, and a process that
 * runs the server within it an eighth slower. It has to be loaded before anything else loads `node:test`.
 *
 * The runner keeps its tests by the id of their scope. Each test is an `AsyncResource`, tells a hook that it begins, and
 * is later found by `executionAsyncId`. These three are what is replaced, and only while the runner takes them.
 */
import hooks, { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } from 'node:async_hooks'

type HookCallbacks = Parameters<typeof createHook>[0]

const scopes = new AsyncLocalStorage<AsyncResource>()
let followed: HookCallbacks | undefined

class Scope extends AsyncResource {
  constructor(...args: ConstructorParameters<typeof AsyncResource>) {
    super(...args)
    followed?.init?.(this.asyncId(), args[0], this.triggerAsyncId(), this)
  }

  override runInAsyncScope<This, Result>(
    fn: (this: This, ...args: never[]) => Result,
    thisArg?: This,
    ...args: never[]
  ): Result {
    // Within, since a resource restores the storages of the place where it was made.
    return super.runInAsyncScope(() => scopes.run(this, () => Reflect.apply(fn, thisArg as This, args)))
  }
}

Object.assign(hooks, {
  AsyncResource: Scope,
  executionAsyncId: () => scopes.getStore()?.asyncId() ?? executionAsyncId(),
  createHook: (callbacks: HookCallbacks) => {
    followed = callbacks
    const nothing = { enable: () => nothing, disable: () => nothing }
    return nothing
  },
})
await import('node:test')
Object.assign(hooks, { AsyncResource, executionAsyncId, createHook })
