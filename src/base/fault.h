/* Fail points and switched-off safety, in the test build only (--enable-teeth): in a release
 * build they vanish, which tests/release shows. */
#ifndef FD_BASE_FAULT_H
#define FD_BASE_FAULT_H
#include <stdbool.h>
#ifdef FD_TEETH
/* FRONTDESK_FAIL_POINT=name[:n]: the process kills itself (SIGKILL) when it passes the point, for the n-th time (1).
 * FRONTDESK_POINTS_FD=fd: each point passed is written there, a name a line. */
void fault_point(const char *name);
/* FRONTDESK_TOOTH=name[,name]: true where that safety is switched off. */
bool fault_tooth(const char *name);
/* FRONTDESK_FAIL_SQL=k:errno: the k-th statement since the variable has this value fails with errno once. 0 = no. */
int fault_sql(void);
/* How many statements were counted since then. */
long fault_sql_passed(void);
#define FD_POINT(name) fault_point(name)
#define FD_TOOTH(name) fault_tooth(name)
#define FD_FAULT_SQL() fault_sql()
#else
#define FD_POINT(name) ((void)0)
#define FD_TOOTH(name) false
#define FD_FAULT_SQL() 0
#endif
#endif
