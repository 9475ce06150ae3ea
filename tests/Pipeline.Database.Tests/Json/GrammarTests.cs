using System.Text;
using Pipeline.Json;
using Xunit;

namespace Pipeline.Database.Tests.Json;

/// <summary>JSON that RFC 8259 allows is accepted and round-trips; other text is refused at the right place.</summary>
public sealed class GrammarTests
{
    [Theory]
    [InlineData("null")]
    [InlineData("true")]
    [InlineData("false")]
    [InlineData("0")]
    [InlineData("-1")]
    [InlineData("-16")]
    [InlineData("-17")]
    [InlineData("79")]
    [InlineData("80")]
    [InlineData("-128")]
    [InlineData("-129")]
    [InlineData("32767")]
    [InlineData("32768")]
    [InlineData("2147483647")]
    [InlineData("-2147483649")]
    [InlineData("9223372036854775807")]
    [InlineData("-9223372036854775808")]
    [InlineData("9223372036854775808")]
    [InlineData("-9223372036854775809")]
    [InlineData("18446744073709551615")]
    [InlineData("123456789012345678901234567890")]
    [InlineData("-0")]
    [InlineData("-0.0")]
    [InlineData("0.0")]
    [InlineData("14.0")]
    [InlineData("14.00")]
    [InlineData("0.1")]
    [InlineData("-0.1")]
    [InlineData("-0.000000000000000001")]
    [InlineData("0.0000000000000000001")]
    [InlineData("12345678.9012345678")]
    [InlineData("12345678.90123456789")]
    [InlineData("1e400")]
    [InlineData("1E+2")]
    [InlineData("1e-2")]
    [InlineData("1.5e10")]
    [InlineData("-0e0")]
    [InlineData("\"\"")]
    [InlineData("\"a\"")]
    [InlineData("\"ä€𝄞\"")]
    [InlineData("\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\"")]
    [InlineData("\"\u007f\u0080\uffff\"")]
    [InlineData("[]")]
    [InlineData("{}")]
    [InlineData("[[],{},[{}]]")]
    [InlineData("{\"\":0}")]
    [InlineData("{\"a\":{\"a\":{\"a\":[]}},\"b\":[1,\"2\",null,true,false,-1.50]}")]
    [InlineData("{\"z\":1,\"a\":2,\"Z\":3,\"ä\":4,\"a\\nb\":5}")]
    public void Sound_text_comes_back_the_same(string json) => Assert.Equal(json, Parse(json).ToString());

    [Theory]
    [InlineData(" \t\r\n1 \t\r\n", "1")]
    [InlineData("{ \"a\" : [ 1 , 2 ] , \"b\" : { } }", "{\"a\":[1,2],\"b\":{}}")]
    [InlineData("\"\\u0041\\/\\uD834\\uDD1E\\ud834\\udd1e\\u00e4\"", "\"A/𝄞𝄞ä\"")]
    [InlineData("{\"\\u0061\":1}", "{\"a\":1}")]
    public void White_space_and_needless_escapes_go(string json, string expected) =>
        Assert.Equal(expected, Parse(json).ToString());

    [Theory]
    [InlineData("", JsonErrorKind.UnexpectedEnd, 1, 1)]
    [InlineData("   ", JsonErrorKind.UnexpectedEnd, 1, 4)]
    [InlineData("\n\n", JsonErrorKind.UnexpectedEnd, 3, 1)]
    [InlineData("nul", JsonErrorKind.UnexpectedEnd, 1, 4)]
    [InlineData("nulL", JsonErrorKind.UnexpectedByte, 1, 4)]
    [InlineData("True", JsonErrorKind.UnexpectedByte, 1, 1)]
    [InlineData("NaN", JsonErrorKind.UnexpectedByte, 1, 1)]
    [InlineData("Infinity", JsonErrorKind.UnexpectedByte, 1, 1)]
    [InlineData("nulls", JsonErrorKind.TrailingData, 1, 5)]
    [InlineData("1 2", JsonErrorKind.TrailingData, 1, 3)]
    [InlineData("{}\n}", JsonErrorKind.TrailingData, 2, 1)]
    [InlineData("\uFEFF1", JsonErrorKind.UnexpectedByte, 1, 1)]
    [InlineData("01", JsonErrorKind.InvalidNumber, 1, 1)]
    [InlineData("-01", JsonErrorKind.InvalidNumber, 1, 2)]
    [InlineData("-", JsonErrorKind.UnexpectedEnd, 1, 2)]
    [InlineData("-a", JsonErrorKind.InvalidNumber, 1, 2)]
    [InlineData("+1", JsonErrorKind.UnexpectedByte, 1, 1)]
    [InlineData(".5", JsonErrorKind.UnexpectedByte, 1, 1)]
    [InlineData("1.", JsonErrorKind.UnexpectedEnd, 1, 3)]
    [InlineData("1.e1", JsonErrorKind.InvalidNumber, 1, 3)]
    [InlineData("1e", JsonErrorKind.UnexpectedEnd, 1, 3)]
    [InlineData("[1e+]", JsonErrorKind.InvalidNumber, 1, 5)]
    [InlineData("0x10", JsonErrorKind.TrailingData, 1, 2)]
    [InlineData("1,", JsonErrorKind.TrailingData, 1, 2)]
    [InlineData("\"abc", JsonErrorKind.UnexpectedEnd, 1, 5)]
    [InlineData("\"abc\\", JsonErrorKind.UnexpectedEnd, 1, 6)]
    [InlineData("\"\\x\"", JsonErrorKind.InvalidString, 1, 3)]
    [InlineData("\"\\u12\"", JsonErrorKind.InvalidString, 1, 6)]
    [InlineData("\"\\u12", JsonErrorKind.UnexpectedEnd, 1, 6)]
    [InlineData("\"\\ud800\"", JsonErrorKind.InvalidString, 1, 2)]
    [InlineData("\"\\ud800\\n\"", JsonErrorKind.InvalidString, 1, 2)]
    [InlineData("\"\\ud800\\u0041\"", JsonErrorKind.InvalidString, 1, 2)]
    [InlineData("\"x\\udc00\"", JsonErrorKind.InvalidString, 1, 3)]
    [InlineData("\"a\nb\"", JsonErrorKind.InvalidString, 1, 3)]
    [InlineData("\"0123456789abcdef\tx\"", JsonErrorKind.InvalidString, 1, 18)]
    [InlineData("\"\0\"", JsonErrorKind.InvalidString, 1, 2)]
    [InlineData("[", JsonErrorKind.UnexpectedEnd, 1, 2)]
    [InlineData("[1", JsonErrorKind.UnexpectedEnd, 1, 3)]
    [InlineData("[1,", JsonErrorKind.UnexpectedEnd, 1, 4)]
    [InlineData("[1,]", JsonErrorKind.UnexpectedByte, 1, 4)]
    [InlineData("[,1]", JsonErrorKind.UnexpectedByte, 1, 2)]
    [InlineData("[1 2]", JsonErrorKind.UnexpectedByte, 1, 4)]
    [InlineData("[1}", JsonErrorKind.UnexpectedByte, 1, 3)]
    [InlineData("]", JsonErrorKind.UnexpectedByte, 1, 1)]
    [InlineData("{", JsonErrorKind.UnexpectedEnd, 1, 2)]
    [InlineData("{\"a\"", JsonErrorKind.UnexpectedEnd, 1, 5)]
    [InlineData("{\"a\":", JsonErrorKind.UnexpectedEnd, 1, 6)]
    [InlineData("{\"a\":1", JsonErrorKind.UnexpectedEnd, 1, 7)]
    [InlineData("{\"a\":1,", JsonErrorKind.UnexpectedEnd, 1, 8)]
    [InlineData("{\"a\":1,}", JsonErrorKind.UnexpectedByte, 1, 8)]
    [InlineData("{\"a\" 1}", JsonErrorKind.UnexpectedByte, 1, 6)]
    [InlineData("{\"a\"=1}", JsonErrorKind.UnexpectedByte, 1, 5)]
    [InlineData("{a:1}", JsonErrorKind.UnexpectedByte, 1, 2)]
    [InlineData("{'a':1}", JsonErrorKind.UnexpectedByte, 1, 2)]
    [InlineData("{1:1}", JsonErrorKind.UnexpectedByte, 1, 2)]
    [InlineData("{\"a\":1]", JsonErrorKind.UnexpectedByte, 1, 7)]
    [InlineData("{\"a\":1 \"b\":2}", JsonErrorKind.UnexpectedByte, 1, 8)]
    [InlineData("// x\n1", JsonErrorKind.UnexpectedByte, 1, 1)]
    [InlineData("[1,/**/2]", JsonErrorKind.UnexpectedByte, 1, 4)]
    [InlineData("{\"a\":1,\n \"b\":{\"c\":1},\n \"a\":2}", JsonErrorKind.DuplicateName, 3, 2)]
    [InlineData("{\"a\":{\"a\":1},\"b\":{\"b\":2},\"b\":0}", JsonErrorKind.DuplicateName, 1, 26)]
    [InlineData("{\"a\":1,\"\\u0061\":2}", JsonErrorKind.DuplicateName, 1, 8)]
    public void Unsound_text_is_refused_at_its_place(string json, JsonErrorKind kind, int line, int byteInLine)
    {
        var e = Assert.Throws<JsonFormatException>(() => Parse(json));
        Assert.Equal((kind, line, byteInLine), (e.Kind, e.Line, e.ByteInLine));
        Assert.StartsWith(
            $"Invalid JSON at line {line}, byte {byteInLine} (offset {e.Offset}): ",
            e.Message,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData(new byte[] { 0x22, 0x80, 0x22 }, 1)]
    [InlineData(new byte[] { 0x22, 0x61, 0xC3, 0x22 }, 2)]
    [InlineData(new byte[] { 0x22, 0xC0, 0x80, 0x22 }, 1)]
    [InlineData(new byte[] { 0x22, 0xED, 0xA0, 0x80, 0x22 }, 1)]
    [InlineData(new byte[] { 0x22, 0xF4, 0x90, 0x80, 0x80, 0x22 }, 1)]
    [InlineData(new byte[] { 0x22, 0xE2, 0x82 }, 1)]
    [InlineData(new byte[] { 0x31, 0xFF }, 1)]
    public void Bytes_that_are_not_utf8_are_refused(byte[] json, int offset)
    {
        var e = Assert.Throws<JsonFormatException>(() => BinaryJsonParser.Parse(json));
        Assert.Equal((JsonErrorKind.InvalidUtf8, (long)offset), (e.Kind, e.Offset));
    }

    [Fact]
    public void Depth_has_a_limit()
    {
        static string Nested(int depth) => new string('[', depth) + new string(']', depth);
        Assert.Equal(Nested(128), Parse(Nested(128)).ToString());
        var e = Assert.Throws<JsonFormatException>(() => Parse(Nested(129)));
        Assert.Equal((JsonErrorKind.TooDeep, 128L), (e.Kind, e.Offset));
        var limits = new JsonLimits { MaxDepth = 1000 };
        Assert.Equal(Nested(1000), BinaryJsonParser.Parse(Encoding.UTF8.GetBytes(Nested(1000)), limits).ToString());
    }

    [Fact]
    public void Size_has_a_limit()
    {
        var json = Encoding.UTF8.GetBytes("[1,2,3]");
        Assert.Equal("[1,2,3]", BinaryJsonParser.Parse(json, new JsonLimits { MaxBytes = 7 }).ToString());
        var e = Assert.Throws<JsonFormatException>(() => BinaryJsonParser.Parse(json, new JsonLimits { MaxBytes = 6 }));
        Assert.Equal(JsonErrorKind.TooLarge, e.Kind);
        Assert.Contains("7 bytes, more than the 6 allowed", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_refused_text_leaves_the_parser_sound()
    {
        for (var i = 0; i < 3; i++)
        {
            Assert.Throws<JsonFormatException>(() => Parse("{\"a\":[1,{\"b\":"));
            Assert.Equal("{\"b\":1,\"a\":2}", Parse("{\"b\":1,\"a\":2}").ToString());
        }
    }

    private static BinaryJson Parse(string json) => BinaryJsonParser.Parse(Encoding.UTF8.GetBytes(json));
}
