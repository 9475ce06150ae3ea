using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Xunit;

namespace Pipeline.Database.Tests.Queries;

/// <content>Queries that are refused.</content>
public sealed partial class QueryRunnerTests
{
    [Theory]
    [InlineData(
        "from index 'Orders/Text' where Titel = 1",
        "Invalid query at 1:32: the index 'Orders/Text' has no field 'Titel'; known here: City, No, Note."
    )]
    [InlineData(
        "from index 'Orders/Text' where Nota = 1",
        "Invalid query at 1:32: the index 'Orders/Text' has no field 'Nota'; did you mean 'Note'?"
    )]
    [InlineData(
        "from Orders where Total = $x",
        "Invalid query at 1:27: the parameter '$x' is not given; known here: city, high, ids, low, max, misspelt, numbers, words."
    )]
    [InlineData(
        "from Orders where Total = $citi",
        "Invalid query at 1:27: the parameter '$citi' is not given; did you mean 'city'?"
    )]
    [InlineData(
        "from Orders where Total > Freight",
        "Invalid query at 1:27: 'Freight' is a field where a value is expected; write texts in quotes; fields are compared with each other in 'filter'."
    )]
    [InlineData(
        "from Orders where Total = $ids",
        "Invalid query at 1:27: one value is expected, not a list or object; write in ($ids) for a list."
    )]
    [InlineData(
        "from Orders where Total between 1 and 'b'",
        "Invalid query at 1:33: the ends of a range are two numbers or two texts (dates are texts)."
    )]
    [InlineData(
        "from Orders where Paid and Total = 1",
        "Invalid query at 1:19: 'Paid' is no condition; write Paid = true."
    )]
    [InlineData("from Orders where score() = 1", "Invalid query at 1:19: a field is expected, not score().")]
    [InlineData(
        "from Orders where search(Note, 'a', 'and')",
        "Invalid query at 1:37: the operator of search() is and or or; write search(Text, 'a b', and)."
    )]
    [InlineData(
        "from Orders where lucene(Note, 'a AND')",
        "Invalid query at 1:32: in Lucene's syntax, at 1:6 of the text, a clause is expected here."
    )]
    [InlineData(
        "from Orders where spatial.within(spatial.point(Lat, Lon), spatial.circle(1, 100, 3))",
        "Invalid query at 1:59: a latitude is from -90 to 90 degrees, a longitude from -180 to 180; the latitude stands first."
    )]
    [InlineData(
        "from Orders where spatial.within(spatial.point(Lat, Lon), spatial.circle(1, 10, 3, 'feet'))",
        "Invalid query at 1:84: 'feet' is not a unit of length; there are 'kilometers' and 'miles'."
    )]
    [InlineData(
        "from Orders where spatial.within(spatial.point(Lat, Lon), spatial.wkt('LINESTRING(0 0, 1 1)'))",
        "Invalid query at 1:71: a LineString cannot be searched in; points, polygons and collections of them can."
    )]
    [InlineData(
        "from Orders update { this.x = 1; }",
        "Invalid query at 1:13: 'update' changes documents; this is a query that reads; run it as a patch."
    )]
    [InlineData(
        "from Orders include counters('likes')",
        "Invalid query at 1:21: include counters('likes') is not supported; paths, timings(), explanations(), highlight(), cmpxchg(), revisions() are."
    )]
    [InlineData(
        "from Orders where proximity(search(Note, 'fox'), 1)",
        "Invalid query at 1:42: Proximity search works only on multiple search terms."
    )]
    [InlineData(
        "from Orders where proximity(search(Note, 'fo* red'), 1)",
        "Invalid query at 1:42: Proximity search works only on simple string terms, not wildcard ones."
    )]
    [InlineData(
        "from Orders where moreLikeThis(id() = 'orders/1')",
        "Invalid query at 1:19: moreLikeThis() compares the searched fields of an index; name one: from index 'Films/Text' where moreLikeThis(…)."
    )]
    [InlineData(
        "from index 'Orders/Text' where moreLikeThis('orders/1', '{\"MinTermFrequency\":1}')",
        "Invalid query at 1:57: there is no option 'MinTermFrequency'; did you mean 'MinimumTermFrequency'?"
    )]
    [InlineData(
        "from Orders select facet(City, '{\"TermSortMode\":\"Up\"}')",
        "Invalid query at 1:32: the option 'TermSortMode' is one of ValueAsc, ValueDesc, CountAsc, CountDesc."
    )]
    [InlineData(
        "from Orders select facet(Total < 10, Freight > 1)",
        "Invalid query at 1:38: the ranges of one facet are of one field, 'Total'; write another facet() for another field."
    )]
    [InlineData(
        "from Orders filter Total > 1 select facet(Company)",
        "Invalid query at 1:37: facets of what 'filter' leaves are not supported; write the condition into 'where'."
    )]
    [InlineData(
        "from Orders select facet(When < '2020-06-01', sum(Total))",
        "Invalid query at 1:20: sums over ranges of texts are not supported; count them without, or use ranges of numbers."
    )]
    [InlineData(
        "from Orders include highlight(Note, 2, 1)",
        "Invalid query at 1:37: a fragment has at least 18 characters."
    )]
    [InlineData(
        "from Orders order by custom(Total)",
        "Invalid query at 1:22: an order by custom() is not supported; order by a field, score(), random() or spatial.distance()."
    )]
    [InlineData(
        "from Orders group by Company",
        "Invalid query at 1:22: a query that groups has no results without 'select'; write select key() as Key, count() as Count."
    )]
    [InlineData(
        "from Orders limit $city",
        "Invalid query at 1:19: a whole number from 0 is expected, not oslo; hand a number over, without quotes."
    )]
    [InlineData(
        "from Orders where id() = 1",
        "Invalid query at 1:26: an id is a text, not 1; for instance id() = 'orders/1'."
    )]
    public async Task A_wrong_query_is_refused_with_place_and_mend(string query, string message)
    {
        Define();
        var error = await Assert.ThrowsAsync<InvalidQueryException>(async () => await Run(query));
        Assert.Equal(message, error.Message);
    }

    [Fact]
    public async Task An_unknown_index_is_named()
    {
        Define();
        var error = await Assert.ThrowsAsync<IndexNotFoundException>(async () => await Run("from index 'Orders/Txt'"));
        Assert.Equal("There is no index 'Orders/Txt'; did you mean 'Orders/Text'?", error.Message);
    }
}
