/* Libraries loaded when they are needed: one of this machine, and those that it does not have. */
#include "unit.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/late.h"

#define THREADS 8

#define MATH_FUNCTIONS(X) X(cbrt) X(fabs)
MATH_FUNCTIONS(LATE_POINTER)
static const struct late_function functions[] = {MATH_FUNCTIONS(LATE_FUNCTION){0}};

static void functions_are_there_after_loading(void **state)
{
    (void)state;
    struct fd_error err = {0};
    struct late_library library = {.soname = "libm.so.6", .package = "libc6", .functions = functions};
    assert_int_equal(late_load(&library, &err), FD_OK);
    assert_true(late_cbrt(27.0) > 2.999 && late_cbrt(27.0) < 3.001);
    assert_true(late_fabs(-2.0) > 1.999);
    assert_int_equal(late_load(&library, NULL), FD_OK);
}

static void what_is_missing_is_told_with_its_package(void **state)
{
    (void)state;
    struct fd_error err = {0};
    struct late_library library = {.soname = "libnosuch.so.7", .package = "libnosuch7", .functions = functions};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(late_load(&library, &err), FD_CONFIG);
        assert_non_null(strstr(err.message, "libnosuch.so.7"));
        assert_non_null(strstr(err.hint, "libnosuch7."));
    }
    assert_int_equal(late_load(&library, NULL), FD_CONFIG);
    library.soname = "libm.so.6";
    assert_int_equal(late_load(&library, &err), FD_OK);
}

static void a_library_without_a_function_is_not_used(void **state)
{
    (void)state;
    struct fd_error err = {0};
    void *pointer = NULL;
    const struct late_function wanted[] = {{"cbrt", &pointer}, {"no_such_function", &pointer}, {0}};
    struct late_library library = {.soname = "libm.so.6", .package = "libc6", .functions = wanted};
    assert_int_equal(late_load(&library, &err), FD_CONFIG);
    assert_non_null(strstr(err.message, "no_such_function"));
    assert_int_equal(late_load(&library, &err), FD_CONFIG);
}

static struct late_library shared = {.soname = "libm.so.6", .package = "libc6", .functions = functions};

static void *load_and_call(void *arg)
{
    pthread_barrier_wait(arg);
    return late_load(&shared, NULL) == FD_OK && late_cbrt(8.0) > 1.999 ? arg : NULL;
}

static void threads_may_need_it_at_once(void **state)
{
    (void)state;
    pthread_barrier_t gate;
    pthread_t threads[THREADS];
    void *good;
    late_cbrt = NULL;
    pthread_barrier_init(&gate, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_and_call, &gate), 0);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &good);
        assert_ptr_equal(good, &gate);
    }
    pthread_barrier_destroy(&gate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_there_after_loading),
        cmocka_unit_test(what_is_missing_is_told_with_its_package),
        cmocka_unit_test(a_library_without_a_function_is_not_used),
        cmocka_unit_test(threads_may_need_it_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
