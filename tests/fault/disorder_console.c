#include "disorder.h"

#ifdef WITH_SCREEN
#include <signal.h>

#include "base/mem.h"
#include "support/screen.h"

#define LIMIT_MS 8000

/* What is on the screen is not asserted: the server may be slow, the order paid, the channel silent. */
static void show_code(struct disorder *disorder, struct screen *screen, const char *number)
{
    char *line = xprintf("pay %s\r", number);
    if (!screen_wait(screen, "F1", LIMIT_MS))
        return;
    screen_send(screen, ":");
    screen_settle(screen, 50, 1000);
    screen_send(screen, line);
    free(line);
    if (!screen_wait(screen, "Owed", 2000))
        return;
    screen_send(screen, chance_percent(&disorder->chance, 50) ? "2" : "3");
    if (!screen_wait(screen, "Waiting for payment", 3000))
        return;
    if (chance_percent(&disorder->chance, 60))
        street_try("pay %s", fixture_text(street.db,
                                          "SELECT COALESCE(MAX(order_no), 'none') FROM payment_record WHERE id > "
                                          "%lld AND status = 'CREATED' AND code IS NOT NULL",
                                          (long long)disorder->last_payment));
    sleep_ms((int)chance_below(&disorder->chance, 1500));
    if (chance_percent(&disorder->chance, 30))
        screen_send(screen, "\033");
}

void disorder_console(struct disorder *disorder, const char *number)
{
    const char *argv[] = {program_path(),
                          "--data",
                          street.fixture.server.folder,
                          "--operator",
                          "boss",
                          "--password-file",
                          street.password_file,
                          "--language",
                          "en",
                          NULL};
    char *channels = xprintf("FRONTDESK_CHANNELS_FILE=%s", street.sandbox.channels);
    const char *env[] = {channels, NULL};
    const struct screen_options options = {.argv = argv, .env = env, .rows = 48, .columns = 120};
    struct screen *screen = screen_open(&options);
    show_code(disorder, screen, number);
    screen_settle(screen, 10, (int)chance_below(&disorder->chance, 300));
    kill(screen_pid(screen), SIGKILL);
    screen_close(&screen);
    free(channels);
}
#else
void disorder_console(struct disorder *disorder, const char *number)
{
    (void)disorder;
    (void)number;
}
#endif
