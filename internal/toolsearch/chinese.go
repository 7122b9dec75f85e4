package toolsearch

import "strings"

// chinese are words of wishes with their English ones: what files, code, the web and its services are spoken of with.
var chinese, longestChinese = dictionary(`
文件 file
文件名 file name search
文件夹 directory folder
目录 directory
目录结构 directory tree
树状 tree
树形 tree
结构 structure
路径 path
磁盘 disk file
硬盘 disk
本地 local file
内容 content
文本 text
文档 document documentation
资料 document
图片 image media
图像 image media
照片 image
音频 audio media
音乐 audio media
视频 video media
媒体 media
播放 read media
读取 read get
读 read
查看 get view list
看 view
显示 show
打开 open
写入 write
写 write
保存 save write
存储 store write
创建 create
新建 create
建立 create
生成 create generate
添加 add create
增加 add
加一个 add
插入 insert add
删除 delete
移除 remove
清除 delete
修改 edit update
编辑 edit
更改 change update
更新 update
替换 replace edit
改名 rename move
重命名 rename move
移动 move
复制 copy
拷贝 copy
克隆 clone fork
查找 search find
搜索 search
寻找 find search
查询 query search
检索 search
列出 list
列表 list
所有 all list
全部 all
大小 size info
修改时间 modified info metadata
时间 time
权限 permission allowed
信息 info
详情 details
属性 info metadata property
代码 code
源码 code
函数 function code
仓库 repository
代码库 repository
项目 repository project
提交历史 commits list
历史 history
记录 history log
提交 commit create
推送 push
分支 branch
合并 merge
合并请求 merge request
拉取请求 pull request
拉取 pull
请求 request
审查 review
评审 review
批准 approve review
缺陷 issue bug
问题 issue
漏洞 bug issue
工单 ticket issue
议题 issue
标签 label
评论 comment
留言 comment
回复 reply
派生 fork
用户 user
账号 user account
账户 user account
成员 user member
同事 user
个人资料 profile
资料卡 profile
频道 channel
群 channel
群聊 channel
消息 message
发送 send post
发一条 send post
发布 publish post
发表 create post
发 send
通知 notify message
表情 emoji reaction
点赞 reaction
话题 thread
讨论 thread
聊天 chat message
上网 web internet search
互联网 web internet
网上 web internet
网络 network web
新闻 news web search
网页 page web browser
网站 website site
页面 page
网址 url
链接 link url
地址 address
经纬度 coordinates latitude longitude geocode
坐标 coordinates
转换 convert
地图 map maps
地点 place location
位置 location
附近 nearby local
餐馆 restaurant local
饭店 restaurant local
怎么走 directions route
路线 directions route
导航 directions navigate
距离 distance
多远 distance
海拔 elevation
高度 elevation
营业时间 hours details
电话 phone details
天气 weather
浏览器 browser
截图 screenshot
截屏 screenshot
点击 click
按钮 button click
单击 click
双击 click
输入 type fill
填写 fill form
表单 form
下拉框 dropdown select option
选择 select
选项 option
选中 select
上传 upload
附件 attachment upload file
下载 download
滚动 scroll
悬停 hover
鼠标 mouse
键盘 keyboard key
按键 press key
标签页 tabs
等待 wait
弹窗 dialog
对话框 dialog
控制台 console
日志 log
报错 error console
错误 error
执行 execute run query
运行 run execute
语句 statement query
脚本 script evaluate
命令 command shell
终端 terminal
进程 process
数据库 database
数据表 table database
表格 table
数据 data
记忆 memory
记住 remember create memory
忘记 forget delete memory
知识图谱 knowledge graph
知识 knowledge
图谱 graph
整个 all entire
实体 entity entities
关系 relation
观察 observation
抓取 crawl scrape
爬取 crawl
爬虫 crawl
提取 extract
采集 scrape extract
监控 monitor
监视 monitor
学术论文 papers research
论文 paper research
文章 article
研究 research
解析 parse
压缩 compress gzip
解压 extract zip
求和 sum
相加 sum add
计算 calculate sum
环境变量 environment env
思考 thinking
推理 thinking
步骤 steps
库 library
包 package
版本 version
接口 api
标题 title
按标题 title search
段落 paragraph block
块 block
数据源 data source
字段 property field
任务 task
待办 todo
日历 calendar
邮件 email
翻译 translate
状态 status
进度 progress status
测试 test
构建 build
部署 deploy
容器 container
镜像 image container
集群 cluster
服务 service
配置 config settings
设置 settings config
安装 install
停止 stop
启动 start
关闭 close
重启 restart
比较 compare
差异 diff
统计 count statistics
排序 sort
导出 export
导入 import
打印 print
`)

func dictionary(lines string) (map[string]string, int) {
	out, longest := map[string]string{}, 0
	for line := range strings.Lines(lines) {
		zh, en, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok {
			out[zh] = en
			longest = max(longest, len([]rune(zh)))
		}
	}
	return out, longest
}
