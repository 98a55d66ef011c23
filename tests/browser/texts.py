"""Long texts to set and to measure: every paragraph runs over many lines."""

ENGLISH = "\n\n".join(
    [
        "The ferry to Aegna leaves at ten past nine, and for eleven months of the year nobody but the postman "
        "minds. I took it in November because my mother had asked me to find out whether the house still had "
        "a roof, and because I had run out of reasons not to go. There were four of us on board, and a window "
        "that two men in orange jackets held upright between them like a guest who had fallen ill.",
        "It turned out that she had been paying for repairs since the spring. She had sent the money in "
        "envelopes, in small notes, the way she paid for everything she did not want discussed. The roof was "
        "sound, the stove had been swept, and somebody had stacked birch along the north wall to the height "
        "of my chest. All the house lacked was the one window in the kitchen, which had been boarded up since "
        "the winter I was seven.",
        "I had forgotten that there was a view from there. When the men stepped aside I saw the well, the bent "
        "apple tree, the path going down between the junipers, and at the end of it, quite small, the jetty "
        "with the ferry still tied to it.",
    ]
    * 4
)
CHINESE = "\n".join(
    [
        "我家楼下原来有一间修鞋铺，门脸只有两步宽。铺主姓姚，街坊都叫他老姚。说是铺，其实是楼梯间里隔出来的一块三角地，白天把折叠门推开，门口支一把帆布椅，"
        "就算开张了。我第一次找他，是为了一双皮鞋的后跟，那是我工作以后买的第一双像样的鞋，花了半个月工资，穿了不到一年，鞋跟就磨成了斜坡。",
        "老姚把鞋翻过来看了看，没有看鞋跟，先看鞋面上的褶子。他说我走路爱往外撇，左脚重。我愣了一下，这件事我自己都不知道。后来我常去，有时候并没有鞋要修，"
        "只是下班路过坐一会儿。锥子扎进去，麻线带出来，再用蜡头在线上捋一遍，一来一回，比我在办公室里做的任何一件事都清楚。",
        "楼要拆的那年春天，我去和他道别。他把那双皮鞋要了过去，说再换一次跟，不收钱。鞋修好了，他照例把手掌按在鞋底上，停了一停，说现在不怎么撇了。"
        "那天我走回家，一路都在听自己的脚步。",
    ]
    * 4
)
