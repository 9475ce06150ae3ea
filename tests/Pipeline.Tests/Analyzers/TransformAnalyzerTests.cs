using Microsoft.CodeAnalysis;
using Xunit;

namespace Pipeline.Tests.Analyzers;

public sealed class TransformAnalyzerTests
{
    [Fact]
    public async Task A_transform_with_a_counter_is_reported()
    {
        var found = await AnalyzerRun.ExpectAsync(
            """
            public sealed record Order(string Customer, decimal Total);

            public sealed class LargeOrders : IEtlTransform<Order>
            {
                private int _sent; // PIPE001: a repeated document counts twice

                public void Transform(EtlChange<Order> change) => change.Send("large-orders", new { Number = ++_sent }, key: change.Id);
            }
            """
        );
        Assert.Equal(DiagnosticSeverity.Warning, found[0].Severity);
        Assert.Equal(
            "The transform 'LargeOrders' keeps state in '_sent'. A task runs one instance on several threads and repeats documents after errors; make it readonly, or use a local variable in Transform.",
            found[0].GetMessage(System.Globalization.CultureInfo.InvariantCulture)
        );
    }

    [Fact]
    public Task Fields_and_properties_that_can_be_written_are_reported() =>
        AnalyzerRun.ExpectAsync(
            """
            public sealed class Order;

            public class Counting
            {
                protected int Count;
            }

            public sealed class Stateful : Counting, IEtlTransform<Order> // PIPE001 (for the base class)
            {
                private static string? s_last; // PIPE001
                private volatile bool _isSeen; // PIPE001
                public int Limit { get; set; } // PIPE001
                public static int Sent { get; private set; } // PIPE001

                public void Transform(EtlChange<Order> change) => (s_last, _isSeen, Count) = (change.Id, true, Sent);
            }
            """
        );

    [Fact]
    public Task Collections_that_a_method_changes_are_reported() =>
        AnalyzerRun.ExpectAsync(
            """
            public sealed class Order;

            public sealed class Collecting(int first) : IEtlTransform<Order>
            {
                private readonly Dictionary<string, int> _seen = new() { ["begin"] = 1 };
                private readonly int[] _counts = new int[4];
                private List<string> Ids { get; } = ["begin"];

                public void Transform(EtlChange<Order> change)
                {
                    _seen[change.Id] = 1; // PIPE001
                    _seen.TryAdd(change.Id, 2); // PIPE001
                    _counts[0]++; // PIPE001
                    Ids.Add(change.Id); // PIPE001
                    first += 1; // PIPE001
                }
            }
            """
        );

    [Fact]
    public Task A_transform_without_state_is_not_reported() =>
        AnalyzerRun.ExpectAsync(
            """
            using System.Collections.Immutable;

            public sealed class Order
            {
                public int Total { get; set; }
            }

            public sealed class Settings
            {
                public int Limit { get; set; }
            }

            public sealed class LargeOrders(Settings settings, decimal least) : IEtlTransform<Order>
            {
                private const string Topic = "large-orders";
                private static readonly HashSet<string> Known = new(StringComparer.Ordinal);
                [ThreadStatic]
                private static List<string>? t_buffer;
                private readonly Settings _settings = settings;
                private readonly ImmutableList<int> _limits = [1, 2];

                static LargeOrders() => Known.Add("a");

                public int Limit { get; init; }

                public int Twice
                {
                    get => Limit * 2;
                    set => _ = value;
                }

                public void Transform(EtlChange<Order> change)
                {
                    var parts = new List<string>();
                    parts.Add(change.Id);
                    (t_buffer ??= []).Add(change.Id);
                    var limits = _limits.Add(3);
                    if (!Known.Contains(change.Id) && change.Document.Total > _settings.Limit + limits.Count && change.Document.Total > least)
                        change.Send(Topic, parts, key: change.Id);
                }
            }

            public sealed class NoTransform
            {
                private int _count;
                public int Next() => ++_count;
            }
            """
        );
}
