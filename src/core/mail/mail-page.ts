import { html, type Raw } from '#contract/html.ts'

/**
 * The frame of every mail: readable without images, scripts or style sheets, in light and dark.
 * Lines stay short, so that a mail of plain ASCII needs no transfer encoding and can be read as a file.
 */
export const mailPage = (title: string, body: Raw): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body style="font:16px/1.5 system-ui,sans-serif;
max-width:34em;margin:2em auto;padding:0 1em">
<h1 style="font-size:1.25em">${title}</h1>
${body}
</body>
</html>
`.text
