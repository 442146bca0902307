#!/bin/sh
# Deploys the folder it is run in: the branch `main` to production, any other as a preview. Prints the address.
#
#   ALOFT_BASE_URL  your installation: https://api.apps.example.com
#   ALOFT_TOKEN     what `aloft tokens create ci --expires-in 90d` printed
#   ALOFT_PACKAGE   address or path of the package (`npm pack` makes it); not needed where `aloft` is installed
#   PROJECT         the project; else it is named as the folder
#   BRANCH          the branch; else what git says
set -eu

: "${ALOFT_BASE_URL:?is not set}" "${ALOFT_TOKEN:?is not set}"
command -v aloft > /dev/null || npm install --global "${ALOFT_PACKAGE:?is not set}" >&2

project=${PROJECT:-$(basename "$PWD")}
branch=${BRANCH:-$(git symbolic-ref --short HEAD)}
if [ "$branch" = main ]; then
  aloft deploy --no-link --name "$project" --prod
else
  aloft deploy --no-link --name "$project"
fi
