/* The program: the command line, and the console behind it. */
#include "cli/cli.h"
#include "console.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv, console_run);
}
