using System.Text;
using Pipeline.Json;
using Pipeline.Server.Endpoints;
using Xunit;

namespace Pipeline.Client.Tests.Server;

public sealed class PatternTests
{
    [Theory]
    [InlineData("1*", null, "12", true)]
    [InlineData("1*", null, "21", false)]
    [InlineData("?2|3*", null, "12", true)]
    [InlineData("?2|3*", null, "345", true)]
    [InlineData("?2|3*", null, "123", false)]
    [InlineData("*a*b", null, "xaxxabab", true)]
    [InlineData("*a*b", null, "xaxxaba", false)]
    [InlineData(null, "*1", "21", false)]
    [InlineData(null, "*1", "12", true)]
    [InlineData("*", "2?", "21", false)]
    [InlineData("AB*", null, "abc", true)]
    [InlineData("", "", "anything", true)]
    public void Ids_match_patterns(string? matches, string? excludes, string rest, bool holds) =>
        Assert.Equal(holds, new IdPattern(matches, excludes).Holds(rest));

    [Theory]
    [InlineData("Company", "companies/1")]
    [InlineData("Lines[].Product", "p/1,p/2")]
    [InlineData("Lines.Product", "p/1,p/2")]
    [InlineData("Address.City.Id", "c/9")]
    [InlineData("Tags[]", "t1,t2")]
    [InlineData("Supplier(companies/)", "companies/7")]
    [InlineData("Number", "")]
    [InlineData("Missing.Path", "")]
    public void Includes_follow_paths(string path, string ids)
    {
        var document = BinaryJson.Parse(
            Encoding.UTF8.GetBytes(
                """{"Company":"companies/1","Lines":[{"Product":"p/1"},{"Product":"p/2"},{"Product":null}],"Address":{"City":{"Id":"c/9"}},"Tags":["t1","t2",""],"Supplier":"7","Number":3}"""
            )
        );
        Assert.Equal(ids, string.Join(',', new IncludePath(path).Ids(document.Root)));
    }
}
