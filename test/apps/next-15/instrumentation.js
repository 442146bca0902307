export function register() {
  globalThis.instrumented = process.env.NEXT_RUNTIME
}
