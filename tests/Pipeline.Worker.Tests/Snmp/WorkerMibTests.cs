using Pipeline.Worker.Snmp;
using Xunit;

namespace Pipeline.Worker.Tests.Snmp;

/// <summary>PIPELINE-MIB and the objects of the program are the same.</summary>
public sealed class WorkerMibTests
{
    private static readonly ObjectId At = Parse(WorkerMib.DefaultBase);

    [Fact]
    public void TheFileHasTheObjectsOfTheProgramAndNoOthers()
    {
        var expected = WorkerMib.Groups.SelectMany(OfGroup).ToList();
        Assert.Equal(expected, MibFile.Objects());
        Assert.True(expected.Count > 70, $"only {expected.Count} objects");
    }

    [Fact]
    public void RowsListTheirColumns()
    {
        foreach (var table in WorkerMib.Groups.Where(g => g.IsTable))
        {
            Assert.Equal(
                [
                    (table.Name + "Index", "Integer32"),
                    .. table.Objects.Select(o => (o.Name, SyntaxOf(o).Split(' ')[0])),
                ],
                MibFile.Sequence(Capital(table.Name) + "Entry")
            );
        }
    }

    [Fact]
    public void TheConformanceSectionListsAllObjects() =>
        Assert.Equal(WorkerMib.Groups.SelectMany(g => g.Objects).Select(o => o.Name), MibFile.Grouped());

    [Fact]
    public void GroupsOfScalarsHaveTheirNumbers()
    {
        var identifiers = MibFile.Identifiers();
        Assert.Equal(("pipelineMIB", WorkerMib.ObjectsNumber), identifiers["pipelineObjects"]);
        foreach (var group in WorkerMib.Groups.Where(g => !g.IsTable))
            Assert.Equal(("pipelineObjects", group.Number), identifiers[group.Name]);
    }

    [Fact]
    public void NumbersAndNamesAreUnique()
    {
        Assert.Distinct(WorkerMib.Groups.Select(g => g.Number));
        Assert.Distinct(WorkerMib.Groups.SelectMany(g => g.Objects).Select(o => o.Name));
        foreach (var group in WorkerMib.Groups)
        {
            Assert.Distinct(group.Objects.Select(o => o.Number));
            if (group.IsTable)
                Assert.DoesNotContain(SnmpGroup.IndexColumn, group.Objects.Select(o => o.Number));
        }
    }

    [Theory]
    [InlineData(WorkerMib.DefaultBase, "::= { enterprises 8072 2 255 8080 }")]
    [InlineData("1.3.6.1.4.1.32473.7", "::= { enterprises 32473 7 }")]
    [InlineData(".1.3.6.1.3.99", "::= { iso 3 6 1 3 99 }")]
    public void TheFileIsPrintedForAnyPlace(string at, string place)
    {
        var text = WorkerMib.TextAt(Parse(at));
        Assert.Contains(place, text, StringComparison.Ordinal);
        Assert.Equal(MibFile.Text.Length + place.Length, text.Length + "::= { enterprises 8072 2 255 8080 }".Length);
    }

    [Fact]
    public void AWorkerThatIsAwayHasTwoValues()
    {
        var tree = WorkerMib.Read(At, new WorkerFigures(DateTimeOffset.UnixEpoch, "no worker answers"));
        var up = tree.After(At)!;
        Assert.Equal((".1.3.6.1.4.1.8072.2.255.8080.1.1.1.0", "integer", "2"), (up.Id.ToString(), up.Type, up.Text));
        var problem = tree.After(up.Id)!;
        Assert.Equal(
            (".1.3.6.1.4.1.8072.2.255.8080.1.1.2.0", "string", "no worker answers"),
            (problem.Id.ToString(), problem.Type, problem.Text)
        );
        Assert.Null(tree.After(problem.Id));
    }

    [Theory]
    [InlineData(-1, "0")]
    [InlineData(0.5, "0")]
    [InlineData(1.6, "2")]
    [InlineData(4294967295, "4294967295")]
    [InlineData(1e300, "4294967295")]
    [InlineData(double.NaN, "0")]
    public void AGaugeStaysWithinItsBounds(double value, string text) => Assert.Equal(text, SnmpText.OfGauge(value));

    [Fact]
    public void TicksStartAgainAfter497Days()
    {
        Assert.Equal("150", SnmpText.OfTicks(TimeSpan.FromSeconds(1.5)));
        Assert.Equal("4294967295", SnmpText.OfTicks(TimeSpan.FromMilliseconds(10) * 4294967295));
        Assert.Equal("0", SnmpText.OfTicks(TimeSpan.FromMilliseconds(10) * 4294967296));
        Assert.Equal("0", SnmpText.OfTicks(TimeSpan.FromSeconds(-1)));
    }

    [Fact]
    public void ATextIsOneLineOfAtMost255Octets()
    {
        Assert.Equal("a b c", SnmpText.OfText("a\r\nb\tc"));
        Assert.Equal("bell \\u0007", SnmpText.OfText("bell \a"));
        Assert.Equal(new string('x', 255), SnmpText.OfText(new string('x', 255)));
        Assert.Equal(new string('x', 252) + "…", SnmpText.OfText(new string('x', 256)));
        // No character is cut in two.
        Assert.Equal(
            string.Concat(Enumerable.Repeat("🐘", 63)) + "…",
            SnmpText.OfText(string.Concat(Enumerable.Repeat("🐘", 64)))
        );
    }

    [Fact]
    public void MetricsAreSummedAndTheirLabelsRead()
    {
        var metrics = MetricsText.Parse(
            """
            # HELP a A metric.
            a{code="200",name="with } and \" inside"} 1.5
            a{code="503"} 2
            b 7
            c NaN
            not a sample
            """
        );
        Assert.Equal(3.5, metrics.Sum("a"));
        Assert.Equal(2, metrics.Sum("a", "code=\"5"));
        Assert.Equal((7, 7), (metrics.Most("b"), metrics.Least("b")));
        Assert.Equal((0, 0), (metrics.Sum("c"), metrics.Most("missing")));
        Assert.Null(metrics.Least("missing"));
        Assert.Equal("200", metrics.Label("a", "code"));
        Assert.Null(metrics.Label("b", "code"));
    }

    private static IEnumerable<MibObject> OfGroup(SnmpGroup group)
    {
        var parent = group.Name;
        if (group.IsTable)
        {
            var capital = Capital(group.Name);
            parent = group.Name + "Entry";
            yield return new(
                group.Name + "Table",
                $"SEQUENCE OF {capital}Entry",
                "not-accessible",
                "pipelineObjects",
                group.Number
            );
            yield return new(parent, capital + "Entry", "not-accessible", group.Name + "Table", 1);
            yield return new(
                group.Name + "Index",
                "Integer32 (1..2147483647)",
                "not-accessible",
                parent,
                SnmpGroup.IndexColumn
            );
        }

        foreach (var one in group.Objects)
            yield return new(one.Name, SyntaxOf(one), "read-only", parent, one.Number);
    }

    private static string SyntaxOf(SnmpObject one) =>
        one.Syntax switch
        {
            SnmpSyntax.Text => "PipelineText",
            SnmpSyntax.Gauge => "Gauge32",
            SnmpSyntax.Counter => "Counter64",
            SnmpSyntax.Ticks => "TimeTicks",
            SnmpSyntax.Truth => "TruthValue",
            _ => $"INTEGER {{ {string.Join(", ", one.Words.Select((w, i) => $"{w}({i + 1})"))} }}",
        };

    private static string Capital(string name) => char.ToUpperInvariant(name[0]) + name[1..];

    private static ObjectId Parse(string text)
    {
        Assert.True(ObjectId.TryParse(text, out var id));
        return id;
    }
}
