#include "cli/cli.h"
const struct action demo_actions[] = {{0}};
