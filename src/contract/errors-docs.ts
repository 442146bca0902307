import { codeOf, ERRORS, type ErrorKind, type ErrorSpec } from './errors.ts'

/** The page about errors, from the same table that the server answers with. */
export const errorDocs = (): string => {
  const rows = (Object.keys(ERRORS) as ErrorKind[]).map((kind) => {
    const spec: ErrorSpec = ERRORS[kind]
    const older = spec.legacy === undefined ? '' : `\`${spec.legacy}\``
    return `| \`${codeOf(kind, false)}\` | ${older} | ${spec.status} | ${spec.meaning} |`
  })
  return `# Errors

Every error has the same body: \`{ "error": { "code", "message" } }\`, with further fields for some codes.
Programs branch on \`code\` and the status; \`message\` is for people and may change. Endpoints of the older
generations also send \`error.url\`, a link to the explanation of the code on the server itself.

| code | on older endpoints | status | meaning |
|---|---|---|---|
${rows.join('\n')}

This page is generated from the table in \`src/contract/errors.ts\` by \`npm run docs\`; a test checks that it is up to date.
`
}
