#include "cli/demo.h"
#include <stddef.h>

#define HOUR(h) ((h)*60)
#define YUAN(y) ((y)*100)
#define WEEKEND (1u << 5 | 1u << 6)

static const struct price_band badminton_bands[] = {
    {HOUR(8), HOUR(24), YUAN(90), WEEKEND},
    {HOUR(18), HOUR(22), YUAN(80), 0},
};
static const struct price_band tennis_bands[] = {
    {HOUR(8), HOUR(24), YUAN(160), WEEKEND},
    {HOUR(18), HOUR(22), YUAN(150), 0},
};
static const struct price_band table_bands[] = {
    {HOUR(0), HOUR(8), YUAN(20), 0},
    {HOUR(18), HOUR(22), YUAN(40), 0},
};
#define BANDS(bands) bands, sizeof(bands) / sizeof *(bands)

#define BADMINTON(name, order)                                                                                         \
    {                                                                                                                  \
        {name, "badminton", "COURT", "一楼羽毛球馆", 4, order, 1}, HOUR(8), HOUR(24), 60, 1, YUAN(60),                 \
            BANDS(badminton_bands), 34                                                                                 \
    }
#define TENNIS(name, order)                                                                                            \
    {                                                                                                                  \
        {name, "tennis", "COURT", "东侧网球场", 4, order, 1}, HOUR(8), HOUR(24), 60, 1, YUAN(120),                     \
            BANDS(tennis_bands), 26                                                                                    \
    }
/* Open day and night: at any hour of the demo something runs. */
#define TABLE(name, order)                                                                                             \
    {                                                                                                                  \
        {name, "tabletennis", "COURT", "二楼乒乓球室", 4, order, 1}, HOUR(0), HOUR(24), 60, 1, YUAN(30),               \
            BANDS(table_bands), 18                                                                                     \
    }

const struct demo_venue demo_venues[] = {
    BADMINTON("1号场", 1),
    BADMINTON("2号场", 2),
    BADMINTON("3号场", 3),
    BADMINTON("4号场", 4),
    BADMINTON("5号场", 5),
    BADMINTON("6号场", 6),
    TENNIS("网球1号", 11),
    TENNIS("网球2号", 12),
    TABLE("乒乓1台", 21),
    TABLE("乒乓2台", 22),
    TABLE("乒乓3台", 23),
    TABLE("乒乓4台", 24),
    {{"游泳池", "swimming", "PLACE", "地下一层", 60, 31, 1}, HOUR(6), HOUR(22), 60, 8, YUAN(45), NULL, 0, 60},
    {{"瑜伽教室", "class", "PLACE", "三楼", 20, 41, 1}, HOUR(9), HOUR(21), 90, 20, YUAN(50), NULL, 0, 60},
    {{"羽毛球拍", "racket", "HOURLY", "前台", 24, 51, 1}, HOUR(8), HOUR(24), 60, 24, YUAN(10), NULL, 0, 40},
    {{"储物柜", "locker", "DAILY", "更衣室", 40, 61, 1}, HOUR(0), HOUR(24), HOUR(24), 40, YUAN(5), NULL, 0, 100},
    {{NULL, NULL, NULL, NULL, 0, 0, 0}, 0, 0, 0, 0, 0, NULL, 0, 0},
};

const struct demo_customer demo_customers[] = {
    {"13800001234", "王芳", "左手持拍，喜欢3号场", NULL},
    {"13800001301", "李强", NULL, NULL},
    {"13800001302", "张伟", NULL, "上月两次未到，先收款"},
    {"13800001303", "刘洋", NULL, NULL},
    {"13800001304", "陈静", "公司团建联系人", NULL},
    {"13800001305", "杨丽华", NULL, NULL},
    {"13800001306", "赵敏", NULL, NULL},
    {"13800001307", "黄晓明", NULL, NULL},
    {"13800001308", "周杰", NULL, NULL},
    {"13800001309", "吴秀英", NULL, NULL},
    {"13800001310", "徐志远", NULL, NULL},
    {"13800001311", "孙丽", NULL, NULL},
    {"13800001312", "马超", NULL, NULL},
    {"13800001313", "朱婷", NULL, NULL},
    {"13800001314", "胡一鸣", NULL, NULL},
    {"13800001315", "郭子涵", "学生证有效至明年六月", NULL},
    {"13800001316", "何雨桐", NULL, NULL},
    {"13800001317", "高翔", NULL, NULL},
    {"13800001318", "林志玲", NULL, NULL},
    {"13800001319", "罗大伟", NULL, NULL},
    {"13800001320", "单田芳", NULL, NULL},
    {"13800001321", "欧阳娜", NULL, NULL},
    {"13900002301", "Emma Johnson", "speaks English only", NULL},
    {"13900002302", "Liam O'Brien", NULL, NULL},
    {"13900002303", "Sofia García", NULL, NULL},
    {"13900002304", "Lukas Müller", NULL, NULL},
    {"13900002305", "Chloé Dubois", NULL, NULL},
    {"13900002306", "Ivan Petrov", NULL, NULL},
    {"13900002307", "Mary Smith", NULL, NULL},
    {"13900002308", "Tom Li", NULL, NULL},
    {"13900002309", "Alexandra Konstantinopoulou-Papadimitriou", NULL, NULL},
    {"13900002310", "唐·史密斯", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};
_Static_assert(sizeof demo_customers / sizeof *demo_customers == DEMO_CUSTOMERS + 1, "as many customers as said");

const struct demo_operator demo_operators[] = {
    {"admin", "超管", ROLE_ADMIN},
    {"clerk", "前台小李", ROLE_CLERK},
    {"finance", "财务老周", ROLE_FINANCE},
    {NULL, NULL, ROLE_NONE},
};
