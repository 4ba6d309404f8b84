/* Published examples of the two channels, by the tests of several libraries and the vendors' own pages: public keys, texts
 * and the signatures that belong to them. Source: facts/payments A14, B6. */
#ifndef FD_TESTS_OUTSIDE_VECTORS_H
#define FD_TESTS_OUTSIDE_VECTORS_H

static const char wechat_spki[] =
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAptpm+qvIDCh/9wjU26SQCK26ogYkBhDrYxnAaw2JbbBsp1oDbHKk+1r3"
    "81NeBUG2HEFAuU+Fr72u5ot3yKdzoF/FajAzQNKnm569/D3upKoi8mYBaST15Uig8j8qoUW1U217LL0jEHlSnHV3lcaDTXqDpTRR"
    "4Bfz9IqOgJgFZ8/oTfEomSrjrLYef81Eyxr7ZIMQXEKKEK7V4UXKS0+/fDsiG/cXidhzt8UbTL9vqXqxM2+IDImyO+FAc/tkBG55"
    "LmzxPto1Nq0WbnZzRM/wTzrd0I/8NlevxtFbphg4evlHjFNI7+GrqR87ViEwuAJJ9Je5QQjct5YJfFRWiZ5CMQIDAQAB";
static const char wechat_signature_a[] =
    "jnks4dlrPw3ZX+ozVvSK39oa0t7OMBsg83BHAwd8BRdUFiVaQNTLTvci+wURgP1OQBbKYhFGvt7iqYpDSTQkp7Uq1sltaQKyncCy"
    "rA1g88m5bsKERQfPyT0ahSwKTYJ1CAn9QiJuSJRq1QsQs07eehbU/k9BCS51jTyc1Jpsi2H77HF9f/BnjXAOP3/sPObg6V5Ee4Ez"
    "wLox684hhuMuIwHo7D8KFk3LIHOKDcNI4It1aCXydFWNpNK+SG86VUDe5kwoDpw4Ulqfu9z8OFDGbDs9TCxEv8iqQzbpxOlEVoOe"
    "2kalSYM5kApQb3nZcxdUtoE0liJGW3RGUNE0t4v01A==";
static const char wechat_signature_b[] =
    "Lc9VXxmeonkdV8Xk9tmigQFLhl0vRWTerdmoRu01aAnYwIrD/5nsSwE1WlmZGLRlAFTNQ3QsMa0+VRDlJp1Wp5p0nO8EK68b5sJB"
    "bjouxaFciIfq1zfDWWz+jqhcMoKXI1A6dPm1AW7D4d30WsMTNzp6g23OXakIsh9LO3lUmwvTuE0BY8ncf6tNGk4wKmvXwERd/Zpo"
    "QY3MAVKz+Nakwc+2XBmzT66KcUehU5kr4IvGa/lEU5RZb/q00zP9VLdBhC/jQSX3X1UcJLCtEc4gTmib4tnmAT+bHF/e17ZAuxDN"
    "cx6rqT8gNEXqaJGG+1OflMSTU2tpyG65G4dMKdFcoA==";
static const char wechat_signature_c[] =
    "W63X0dHMkPMtqJIbgvue3KNFvV3HxbgByEZ2/jU49qBRy10JRqwJtM8A9vybsjpv4gMkxm384IIWwkr0VmG4gnprifBHIUGUSzy5"
    "RHV6yQpxa7yq2ms9hCH2wtBp2NrYA1cPcXqEZUg4WBDNHgdos8DHAkUlcYvr55KMo+/RgZfasqx+kjLhg+tY6eA9LAV5giVX/3PN"
    "rKXRgTJZc82oq6KO9mV6aLYt5WGhouQdnfCIHBiif0c8nzmvKHkb/WyUoBwLcGDTh7PE6y8wScpNPvJAxXL3iPNQtUKpFJJ42qnI"
    "iMH7EjLVo3H1sk1by1tK9CPMlav1mgGSH+f54anRfA==";
static const char wechat_body_a[] =
    "{\"appid\":\"wxd678efh567hg6787\",\"mchid\":\"1900007291\",\"description\":\"Image形象店-深圳腾大-QQ公仔\",\"out_trade_no\""
    ":\"1217752501201407033233368018\",\"notify_url\":\"https://www.weixin.qq.com/wxpay/pay.php\",\"amount\":{\"to"
    "tal\":100,\"currency\":\"CNY\"},\"payer\":{\"openid\":\"oUpF8uMuAJO_M2pxb1Q9zNjWeS6o\"}}";
static const char wechat_answer_spki[] =
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwXNI6sdlknHBnK8Fu2U6Cwor9qY747jP8KAfeBMeveEt1TqaHkLfaSD0"
    "7trZLhGpfs8/AHqjhgSMO1O10YQWOrrJ4hjIWPKqxbgrYMkBQc+mwdiWp4W3ByCqxBRagCveCXRWCmuJYovl9H/bsDI0iGbpVtEO"
    "ghJtfciisYSgxcLufUDTRkvwxjIBK1pCRjk33jJ5YTBWTHMRtMAOcFLNF6hdEYdX8SPsgHHeLZ5Lv2T/686w1xtgCHef/sd4uSfW"
    "myzsalQdHG/e4IyYmrhx+O3VBoNDzE3nx23bFeV/RVNCG7cV6VhmYokJNHa/erIPkEmEFID6A5wQOXuxUkmJWwIDAQAB";
static const char wechat_answer_signature[] =
    "mfI1CPqvBrgcXfgXMFjdNIhBf27ACE2YyeWsWV9ZI7T7RU0vHvbQpu9Z32ogzc+k8ZC5n3kz7h70eWKjgqNdKQF0eRp8mVKlmfzM"
    "LBVHbssB9jEZEDXThOX1XFqX7s7ymia1hoHQxQagPGzkdWxtlZPZ4ZPvr1RiqkgAu6Is8MZgXXrRoBKqjmSdrP1N7uxzJ/cjfSii"
    "s9FiLjuADoqmQ1P7p2N876YPAol7Rn0+GswwAwxldbdLrmVSjfytfSBJFqTMHn4itojgxSWWN1byuckQt8hSTEv/Lg97QoeGniYP"
    "17T80pJeQyL3b+295FPHSO2AtvCgyIbKMZ0BALilAA==";
static const char alipay_notice_spki[] =
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqObrdC7hrgAVM98tK0nv3hSQRGGKT4lBsQjHiGjeYZjOPIPHR5knm2jn"
    "nz/YGIXIofVHkA/tAlBAd5DrY7YpvI4tP5EONLtZKC2ghBMx7McI2wRD0xiqzxOQr1FuhZGJ8/AUokBzJrzY+aGX2xcOrxFYRlFi"
    "lvVLTXg4LWjR1tdPkO6+i7wQZAIVMClPkwVRZEbaERRHlKqTzv2gGv5rDU8gRoe1LeaN+6BlbTqHWkQcNCUNrA8C6l17XAXGKDsm"
    "/9TFWwO8EPHHHCaQdjtV5/FdcWIt+L8SR1ss7EXTjYDFtxcKVv9rEoY1lX8T4mX+GbXfZHraG5NCF1+XioL5JwIDAQAB";
static const char alipay_notice_text[] =
    "app_id=2019073166072302&auth_app_id=2019073166072302&buyer_id=2088102534368455&buyer_logon_id=xud***"
    "@126.com&buyer_pay_amount=0.10&charset=utf-8&fund_bill_list=[{\"amount\":\"0.10\",\"fundChannel\":\"ALIPAYA"
    "CCOUNT\"}]&gmt_create=2019-08-15 15:56:22&gmt_payment=2019-08-15 15:56:24&invoice_amount=0.10&notify_"
    "id=2019081500222155624068450559358070&notify_time=2019-08-15 15:56:25&notify_type=trade_status_sync&"
    "out_trade_no=20190815155618536-564-57&point_amount=0.00&receipt_amount=0.10&seller_email=z97-yuquere"
    "venue@service.aliyun.com&seller_id=2088531891668739&subject=语雀空间 500人规模&total_amount=0.10&trade_no=2"
    "019081522001468450512505578&trade_status=TRADE_SUCCESS&version=1.0";
static const char alipay_notice_signature[] =
    "QfTb8tqE1BMhS5qAnXtvsF3/jBkEvu9q9en0pdbBUDDjvKycZhQb7h8GDs4FKfi049PynaNuatxSgLb/nLWZpXyyh0LEWdK2S6Ri"
    "7nPwrVgOs08zugLO20vOQz44y3ti2Ncm8/wZts1Fr2gZ7pShnVX3d1B50hbsXnObT1r/U8ONNQjWXd0HIul4TG+Q3fm3svmSvFEy"
    "0WnzuhcyHPX5Gm4ELNctL6Qd5YniGJFNcc7kopHYtI/XD9YCKCH6Ct02rzUs9i11C9CsadtZn+WhxF26Dqt9sGEFajkJ8cxUTLi8"
    "+VCpLHsgPE8P0y095uQcDdK0YjCh4x7wVSov+lrmOQ==";
static const char alipay_answer_spki[] =
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAp8gueNlkbiDidz6FBQEBpqoRgH8h7JtsPtYW0nzAqy1MME4mFnDSMfSK"
    "lreUomS3a55gmBopL1eF4/Km/dEnaL5tCY9+24SKn1D4iyls+lvz/ZjvUjVwxoUYBh8kkcxMZSDeDz8//o+9qZTrICVP2a4sBB8T"
    "0XmU4gxfw8FsmtoomBH1nLk3AO7wgRN2a3+SRSAmxrhIGDmF1lljSlhY32eJpJ2TZQKaWNW+7yDBU/0Wt3kQVY84vr14yYagnSCi"
    "IfqyVFqePayRtmVJDr5qvSXr51tdqs2zKZCu+26X7JAF4BSsaq4gmY5DmDTm4TohCnBduI1+bPGD+igVmtl05wIDAQAB";
static const char alipay_answer_text[] =
    "{\"code\":\"10000\",\"msg\":\"Success\",\"buyer_logon_id\":\"854***@qq.com\",\"buyer_pay_amount\":\"0.01\",\"buyer_us"
    "er_id\":\"2088102363632794\",\"fund_bill_list\":[{\"amount\":\"0.01\",\"fund_channel\":\"PCREDIT\"}],\"gmt_payment"
    "\":\"2019-08-29 20:14:05\",\"invoice_amount\":\"0.01\",\"out_trade_no\":\"GZ201901301040361012\",\"point_amount\""
    ":\"0.00\",\"receipt_amount\":\"0.01\",\"total_amount\":\"0.01\",\"trade_no\":\"2019082922001432790585537960\"}";
static const char alipay_answer_signature[] =
    "bk3SzX0CZRI811IJioS2XKQHcgMixUT8mYyGQj+vcOAQas7GIYi6LpykqqSc3m7+yvqoG0TdX/c2JjYnpw/J53JxtC2IC4vsLuIP"
    "IgghVo5qafsfSxEJ22w20RZDatI2dYqFVcj8Jp+4aesQ8zMMNw7cX9NLyk7kw3DecYeyQp+zrZMueZPqLh88Z+54G+e6QuSU++0o"
    "uqQVd4PkpPqy6YI+8MdMUX4Ve0jOQxMmYH8BC6n5ZsTH/uEaLEtzYVZdSw/xdSQ7K1SH73aEH8XbRYx6rL7RkKksrdvhezX+ThDj"
    "Q+fTWjvNFrGcg3fmqXRy2elvoalu+BQmqlkWWjEJYA==";

#endif
