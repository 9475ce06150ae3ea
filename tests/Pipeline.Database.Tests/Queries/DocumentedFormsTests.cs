using System.Text;
using Pipeline.Database.Indexes;
using Pipeline.Database.Queries;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Database.Tests.Queries;

/// <summary>
/// The forms in RavenDB's documentation of its query language: each is answered, or refused with its place and a fix.
/// </summary>
public sealed class DocumentedFormsTests(ITestOutputHelper output)
{
    private static readonly string[] Answered =
    [
        "from 'Employees'",
        "from \"Employees\"",
        "FROM Employees WHERE FirstName == \"Nancy\"",
        "from employees where FirstName = 'Nancy' or LastName = 'King'",
        "from @all_docs",
        "from Employees as e where e.FirstName = 'Nancy' select e",
        "from Employees e where e.Age > 20",
        "from Employees where id() = 'employees/1-A'",
        "from Employees where id() in ('employees/1', 'employees/2')",
        "from Employees where FirstName IN ('Anne', 'John')",
        "from Employees where Age BETWEEN 20 AND 60",
        "from Employees where Age >= 20 AND (FirstName = 'Nancy' OR NOT LastName = 'King')",
        "from Employees where Address.City = 'London'",
        "from Employees where Territories ALL IN ('a', 'b')",
        "from Employees where Territories in ('a')",
        "from Employees where Lines[].Product = 'p'",
        "from Employees where true and not FirstName = 'x'",
        "from Employees where exists(FirstName)",
        "from Employees where exists(\"Address.City\") and not exists(Nothing)",
        "from Employees where FirstName != null",
        "from Employees where startsWith(FirstName, 'Na') order by LastName desc, Age as long asc",
        "from Employees where endsWith(FirstName, 'cy')",
        "from Employees where exact(FirstName = 'Nancy')",
        "from Employees where exact(startsWith(FirstName, 'Na'))",
        "from Employees where exact(FirstName in ('Nancy', 'Anne'))",
        "from Employees where regex(FirstName, '^[NA]')",
        "from Employees where boost(FirstName = 'Nancy', 5) or LastName = 'King'",
        "from Employees where search(Notes, 'sales french')",
        "from Employees where search(Notes, 'sales french', and)",
        "from Employees where search(Notes, 'sales french', or) or search(Notes, 'x*')",
        "from Employees where search(Notes, 'sales') and not search(Notes, 'french')",
        "from Employees where search(Notes, $words)",
        "from Employees where lucene(Notes, 'sal*')",
        "from Employees where fuzzy(FirstName = 'Nanci', 0.5)",
        "from Employees where proximity(search(Notes, 'sales french'), 3)",
        "from Employees order by score()",
        "from Employees order by random()",
        "from Employees order by random('1234')",
        "from Employees order by id()",
        "from Employees order by Age as double desc, FirstName as alphaNumeric",
        "from Employees order by Age desc, score()",
        "from Employees order by 'Address.City'",
        "from Employees select FirstName, LastName as Last, Address.City",
        "from Employees select distinct Address.City as City",
        "from Employees as e select { Name: e.FirstName + ' ' + e.LastName, Id: id(e), Town: e.Address.City }",
        "from Employees as e select { M: getMetadata(e)['@collection'], L: e.Territories.length }",
        "from Employees as e select { Y: e.HiredAt.substr(0, 4), Big: e.Age > 30 ? 'y' : 'n' }",
        "from Employees as e load e.ReportsTo as boss select e.FirstName as Name, boss.FirstName as Boss",
        "from Employees as e load e.ReportsTo as boss, e.Company as c select { A: boss.FirstName, B: c.Name }",
        "from Employees as e load e.Others as others[] select { N: others.map(o => o.FirstName) }",
        "from Employees as e where e.Age > 1 select { Boss: load(e.ReportsTo).FirstName }",
        "from Employees include ReportsTo",
        "from Employees as e include e.ReportsTo, 'Others[]'",
        "from Employees include explanations(), timings()",
        "from Employees where search(Notes, 'sales') include highlight(Notes, 35, 4)",
        "from Employees where search(Notes, 'sales') include highlight(Notes, 35, 4, '{\"PreTags\":[\"<b>\"],\"PostTags\":[\"</b>\"]}')",
        "from Employees include revisions('Version')",
        "from Employees include cmpxchg('Company')",
        "from Employees limit 5",
        "from Employees limit 2, 3",
        "from Employees limit 3 offset 1",
        "from Employees offset 1 limit 3",
        "from Employees group by Address.City select count() as Count, Address.City as City",
        "from Employees group by Address.City where count() > 0 order by count() desc select key(), count(), sum(Age)",
        "from Employees group by Address.City, Company select key() as K, count()",
        "from Employees group by Territories[] select key() as T, count()",
        "from Employees group by array(Territories) select key() as T, count()",
        "from Employees select facet(Address.City)",
        "from Employees select facet(Age < 30, Age >= 30 and Age < 50, Age >= 50)",
        "from Employees select facet(Company, sum(Age), avg(Age), min(Age), max(Age))",
        "from index 'Staff' select facet(id('facets/staff'))",
        "from index 'Staff' select facet(Name) as N, facet(Age < 40, Age >= 40)",
        "from Employees select suggest(FirstName, 'nanci')",
        "from Employees select suggest(FirstName, $words, '{\"Accuracy\":0.3,\"PageSize\":5,\"Distance\":\"JaroWinkler\",\"SortMode\":\"None\"}')",
        "from index 'Staff' where moreLikeThis(id() = 'employees/1')",
        "from index 'Staff' where moreLikeThis('{\"Notes\":\"sales\"}')",
        "from index 'Staff' where intersect(Name = 'Nancy', Age > 1)",
        "from index 'Staff' where Name = 'Nancy' select Name",
        "from index 'Staff' as s where s.Name = 'Nancy' select s.Age",
        "from INDEX \"Staff\" order by Name",
        "from Staff where search(Notes, 'x')",
        "from Employees where spatial.within(spatial.point(Lat, Lon), spatial.circle(500, 30, 30))",
        "from Employees where spatial.within(spatial.point(Lat, Lon), spatial.circle(500, 30, 30, 'miles'), 0.025)",
        "from Employees where spatial.within(spatial.point(Lat, Lon), spatial.wkt('CIRCLE(30.000000 30.000000 d=1000.0000)'))",
        "from Employees where spatial.intersects(spatial.point(Lat, Lon), spatial.wkt('POLYGON((0 0, 50 0, 50 50, 0 50, 0 0))'))",
        "from Employees where spatial.contains(spatial.point(Lat, Lon), spatial.point(10, 20))",
        "from Employees where spatial.disjoint(spatial.wkt(Place), spatial.circle(10, 1, 1))",
        "from Employees order by spatial.distance(spatial.point(Lat, Lon), spatial.point(10, 20)) desc",
        "from Employees order by spatial.distance(spatial.point(Lat, Lon), spatial.wkt('POINT(20 10)'))",
        "from Employees order by spatial.distance(spatial.point(Lat, Lon), spatial.point(10, 20), 0.5)",
        "from Employees as e filter e.Address.City = 'London' limit 10",
        "from Employees where Age > 1 filter startsWith(FirstName, 'N') or FirstName.length > 3 filter_limit 5",
        "from Employees where Age = $age and FirstName = $p0",
        "from Employees where HiredAt > '1990-01-01T00:00:00.0000000Z'",
        "from Employees where 'First name' = 'x'",
        "from Employees where '@metadata'.'@collection' = 'Employees'",
        "from Employees where Age in (1, $age) // a comment",
        "from Employees /* one */ where Age > -1",
        "from Employees where FirstName = 'It''s' or FirstName = 'It\\'s'",
        "from Employees where \"Age\" > 1",
    ];

    private static readonly string[] Refused =
    [
        "declare timeseries ts(e) { from e.HeartRates between $a and $b group by '1 day' select min(), max() } from Employees as e select ts(e)",
        "from Employees include counters('Likes')",
        "from Employees as e include counters(e.Company)",
        "from Employees include timeseries('HeartRates', $a, $b)",
        "from Employees include attachments('a.png')",
        "from Employees order by custom(FirstName, 'MySorter')",
        "match (Employees as e)-[ReportsTo]->(Employees as b) select e.FirstName",
        "with { from Employees } as e match (e) select e",
        "from Employees update { this.Age = 3 }",
        "from Employees (Revisions = true)",
        "from Employees select *",
        "select FirstName from Employees",
        "from Employees where FirstName like 'N%'",
        "from Employees where FirstName is null",
        "from Employees group by Company having count() > 1 select key()",
        "from Employees where Age > ",
        "from Employees where Age >",
        "from Employees where (Age > 1",
        "from Employees where FirstName = 'abc",
        "from Employees order Age",
        "from Employees whre Age > 1",
        "from Employees where serch(Notes, 'a')",
        "from Employees where Age = $missing",
        "from index 'Nowhere' where A = 1",
        "from index 'Staff' where Nome = 'x'",
        "from Employees limit 'a'",
        "from Employees limit $words",
        "from Employees where spatial.within(spatial.point(Lat, Lon), spatial.wkt('POLYGON((0 0'))",
        "from Employees order by Age as number",
        "from Employees where search(Notes)",
        "from Employees where vector.search(Notes, 'x')",
        "from Employees where embedding.text(Notes) = 1",
        "from Employees where id() = 5",
        "from Employees where FirstName",
    ];

    [Fact]
    public async Task A_form_is_answered_or_refused_with_place_and_mend()
    {
        await using var db = TestDatabase.Open();
        await db.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = "Staff",
                Maps = ["from e in docs.Employees select new { Name = e.FirstName, e.Age, e.Notes }"],
                Fields = new Dictionary<string, IndexFieldDefinition>
                {
                    ["Notes"] = new() { Analyzer = "standard", Stored = true },
                },
            }
        );
        await Put(
            "facets/staff",
            """{"Facets":[{"FieldName":"Name"}],"RangeFacets":[{"Ranges":["Age < 40","Age >= 40"]}]}"""
        );
        await Put(
            "employees/1",
            """{"FirstName":"Nancy","LastName":"Davolio","Age":40,"HiredAt":"1992-05-01","Address":{"City":"London"},"Territories":["a","b"],"Company":"companies/1","ReportsTo":"employees/2","Others":["employees/2"],"Notes":"Knows sales and french","Lat":10,"Lon":20,"Place":"POINT(20 10)","Lines":[{"Product":"p"}],"@metadata":{"@collection":"Employees"}}"""
        );
        await Put(
            "employees/2",
            """{"FirstName":"Anne","LastName":"King","Age":30,"HiredAt":"1993-05-01","Address":{"City":"Oslo"},"Territories":["b"],"Company":"companies/1","Notes":"sales","Lat":30,"Lon":30,"Place":"POINT(30 30)","@metadata":{"@collection":"Employees"}}"""
        );
        var parameters = new QueryParameters(
            new Dictionary<string, object?>
            {
                ["words"] = "sales",
                ["age"] = 40,
                ["p0"] = "Nancy",
                ["a"] = "1990-01-01",
                ["b"] = "2030-01-01",
            }
        );
        var wrong = new List<string>();
        foreach (var text in Answered)
        {
            if (await RunAsync(text) is { } error)
                wrong.Add($"{text}\n    {error.GetType().Name}: {error.Message}");
        }

        foreach (var text in Refused)
        {
            var error = await RunAsync(text);
            output.WriteLine($"{text}\n    {error?.Message}");
            if (
                error is IndexNotFoundException
                || error is InvalidQueryException { Line: 1, Column: > 0, Suggestion: not null }
            )
            {
                continue;
            }

            wrong.Add($"{text}\n    {(error is null ? "is answered" : $"{error.GetType().Name}: {error.Message}")}");
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));

        async Task<Exception?> RunAsync(string text)
        {
            try
            {
                await db.QueryAsync(
                    new QueryRequest(text) { Parameters = parameters, Wait = new IndexWait(TimeSpan.FromMinutes(1)) }
                );
                return null;
            }
            catch (Exception error) when (error is not Xunit.Sdk.XunitException)
            {
                return error;
            }
        }

        Task Put(string id, string json) => db.PutAsync(id, Encoding.UTF8.GetBytes(json));
    }
}
