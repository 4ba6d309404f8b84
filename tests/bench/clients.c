/* Desks, their bare twins, and running many at once. */
#include "bench/bench.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct desk *desk_signed_in(struct bench *bench, const char *database)
{
    struct fd_error err = {0};
    struct db_target target = fixture_target(&bench->fixture);
    struct desk *desk;
    target.database = database;
    if (desk_open_at(bench->config, &target, &desk, &err))
        bench_die("desk_open_at", &err);
    /* What a sign-in leaves behind; two hundred password hashes would only take time. */
    static int64_t operator_id;
    if (!operator_id)
        operator_id = fixture_int(bench->db, "SELECT id FROM operator_account WHERE name = 'bench'");
    desk->operator_id = operator_id;
    desk->role = ROLE_CLERK;
    cut_copy(desk->operator, sizeof desk->operator, "bench");
    cut_copy(desk->operator_label, sizeof desk->operator_label, "Bench");
    return desk;
}

struct bare *bare_on(struct bench *bench, const char *database)
{
    struct db_target target = fixture_target(&bench->fixture);
    return bare_open(target.socket, target.user, database);
}

const char *query_text(const char *name)
{
    struct db_query *const *list;
    size_t count = db_queries(&list);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->name, name) == 0)
            return list[i]->sql;
    fprintf(stderr, "bench: the program has no query %s any more\n", name);
    exit(99);
}

/* `sql` with :name is what was prepared as `text` with ?. */
static bool is_text_of(const char *sql, const char *text)
{
    while (*sql && *text) {
        if (*text == '?' && *sql == ':') {
            for (sql++; isalnum((unsigned char)*sql) || *sql == '_';)
                sql++;
            text++;
        } else if (*sql++ != *text++) {
            return false;
        }
    }
    return !*sql && !*text;
}

const char *query_name(const char *prepared)
{
    struct db_query *const *list;
    size_t count = db_queries(&list);
    for (size_t i = 0; i < count; i++)
        if (is_text_of(list[i]->sql, prepared))
            return list[i]->name;
    fprintf(stderr, "bench: the program has no such query: %s\n", prepared);
    exit(99);
}

void log_start(struct bench *bench)
{
    fixture_sql(bench->db, "SET GLOBAL log_output = 'TABLE'");
    fixture_sql(bench->db, "TRUNCATE TABLE mysql.general_log");
    fixture_sql(bench->db, "SET GLOBAL general_log = 1");
}

char *log_stop(struct bench *bench, int64_t connection, const char *kind, int bytes)
{
    struct buf text = {0};
    fixture_sql(bench->db, "SET GLOBAL general_log = 0");
    int64_t count = fixture_int(
        bench->db, "SELECT COUNT(*) FROM mysql.general_log WHERE thread_id = %lld AND command_type REGEXP '%s'",
        (long long)connection, kind);
    for (int64_t i = 0; i < count; i++)
        buf_printf(
            &text, "%s%s", i ? "\n" : "",
            fixture_text(bench->db,
                         "SELECT LEFT(argument, %d) FROM mysql.general_log WHERE thread_id = %lld AND command_type"
                         " REGEXP '%s' ORDER BY event_time LIMIT %lld, 1",
                         bytes, (long long)connection, kind, (long long)i));
    return buf_take(&text);
}

struct run {
    pthread_barrier_t barrier;
    _Atomic int64_t next;
    int64_t count;
    client_fn *fn;
    const void *arg;
};

struct worker {
    struct run *run;
    struct client *client;
    pthread_t thread;
    double end_ms;
};

static void *work(void *context)
{
    struct worker *worker = context;
    struct run *run = worker->run;
    pthread_barrier_wait(&run->barrier);
    for (;;) {
        int64_t n = atomic_fetch_add(&run->next, 1);
        if (n >= run->count)
            break;
        run->fn(worker->client, n, run->arg);
    }
    worker->end_ms = now_ms();
    return NULL;
}

double clients_run(struct client *clients, int client_count, int64_t count, client_fn *fn, const void *arg)
{
    struct run run = {.count = count, .fn = fn, .arg = arg};
    struct worker *workers = xcalloc((size_t)client_count, sizeof *workers);
    pthread_barrier_init(&run.barrier, NULL, (unsigned)client_count + 1);
    for (int i = 0; i < client_count; i++) {
        workers[i] = (struct worker){.run = &run, .client = &clients[i]};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            bench_die("pthread_create", NULL);
    }
    double begin = now_ms(), end = begin;
    pthread_barrier_wait(&run.barrier);
    for (int i = 0; i < client_count; i++) {
        pthread_join(workers[i].thread, NULL);
        end = workers[i].end_ms > end ? workers[i].end_ms : end;
    }
    pthread_barrier_destroy(&run.barrier);
    free(workers);
    return (end - begin) / 1e3;
}
