/**
 * `aloft/client`: the client as other programs import it from the package, with what reads files and therefore needs
 * Node. It gathers names for them, which see a package and not its files; code of ours imports the files. The rows to
 * call are `aloft/contract/<noun>`, as in `client.call(listProjects)`.
 */
export { collectFiles, type FoundFile } from './deploy/collect-files.ts'
export { type DeployOptions, deploy } from './deploy/deploy.ts'
export * from './web.ts'
