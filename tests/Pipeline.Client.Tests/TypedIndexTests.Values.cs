using System.Linq.Expressions;
using System.Text.Json;
using System.Text.Json.Serialization;
using Xunit;

namespace Pipeline.Client.Tests;

/// <content>The values that an index computes.</content>
public sealed partial class TypedIndexTests
{
    private sealed class Computed : DocumentIndex<Order, Computed.Entry>
    {
        /// <summary>An entry for each document, with the value of an expression.</summary>
        public Computed(Expression<Func<Order, object?>> value, string name = "Computed")
        {
            Name = name;
            ParameterExpression orders = Expression.Parameter(typeof(IEnumerable<Order>), "orders"),
                order = value.Parameters[0];
            var entry = Expression.MemberInit(
                Expression.New(typeof(Entry)),
                Expression.Bind(
                    typeof(Entry).GetProperty(nameof(Entry.Order))!,
                    Expression.Property(order, nameof(Pipeline.Client.Tests.Order.Id))
                ),
                Expression.Bind(typeof(Entry).GetProperty(nameof(Entry.Value))!, value.Body)
            );
            Map = Expression.Lambda<Func<IEnumerable<Order>, System.Collections.IEnumerable>>(
                Expression.Call(
                    typeof(Enumerable),
                    nameof(Enumerable.Select),
                    [typeof(Order), typeof(Entry)],
                    orders,
                    Expression.Lambda<Func<Order, Entry>>(entry, order)
                ),
                orders
            );
            Field(e => e.Value, new IndexFieldOptions { IsStored = true });
            Field(e => e.Order, new IndexFieldOptions { IsStored = true });
        }

        public override string Name { get; }

        internal sealed class Entry
        {
            public string? Order { get; set; }
            public object? Value { get; set; }
        }
    }

    internal static readonly (string Name, Expression<Func<Order, object?>> Value)[] Values =
    [
        ("member", o => o.Customer),
        ("nested", o => o.ShipTo!.City),
        ("number", o => o.Total * 2 + o.Count),
        ("whole division", o => o.Count / 2),
        ("remainder", o => o.Count % 3),
        ("cut", o => (int)o.Total),
        ("negated", o => -o.Count),
        ("nullable", o => o.Weight ?? -1),
        ("has value", o => o.Weight.HasValue),
        ("value", o => o.Weight.HasValue ? o.Weight.Value + 1 : 0),
        ("condition", o => o.Total > 50 && o.IsUrgent ? "now" : "later"),
        ("or", o => o.IsUrgent || o.Count > 3),
        ("not", o => !o.IsUrgent),
        ("enum", o => o.State),
        ("enum compared", o => o.State == OrderState.Paid),
        ("enum in", o => new[] { OrderState.Paid, OrderState.Sent }.Contains(o.State)),
        ("text in", o => Cities.Contains(o.ShipTo!.City)),
        ("joined", o => o.Customer + "/" + o.ShipTo!.City),
        ("joined with a number", o => o.Customer + o.Count),
        ("interpolated", o => $"{o.Customer}: {o.Count} {{}}"),
        ("upper", o => o.Customer!.ToUpperInvariant()),
        ("lower", o => o.Customer!.ToLower()),
        ("trimmed", o => o.Customer!.Trim()),
        ("part", o => o.ShipTo!.City.Substring(1, 2)),
        ("starts", o => o.ShipTo!.City.StartsWith("Os")),
        ("contains", o => o.ShipTo!.City.Contains("er")),
        ("replaced", o => o.ShipTo!.City.Replace("o", "0")),
        ("length", o => o.ShipTo!.City.Length),
        ("split", o => o.ShipTo!.City.Split('s')),
        ("empty", o => string.IsNullOrEmpty(o.Customer)),
        ("index of", o => o.ShipTo!.City.IndexOf('o')),
        ("list", o => o.Tags),
        ("count of a list", o => o.Tags.Count),
        ("contains an element", o => o.Tags.Contains("a")),
        ("any", o => o.Lines.Any(l => l.Quantity > 2)),
        ("all", o => o.Lines.All(l => l.Price > 1)),
        ("sum", o => o.Lines.Sum(l => l.Price * l.Quantity)),
        ("selected", o => o.Lines.Select(l => l.Product)),
        ("filtered", o => o.Lines.Where(l => l.Quantity > 1).Select(l => l.Product)),
        ("first", o => o.Lines.Select(l => l.Product).FirstOrDefault()),
        ("max", o => o.Lines.Max(l => l.Quantity)),
        ("ordered", o => o.Lines.OrderByDescending(l => l.Price).Select(l => l.Product)),
        ("distinct", o => o.Lines.Select(l => l.Quantity).Distinct().Count()),
        ("joined list", o => string.Join("|", o.Tags)),
        ("year", o => o.At.Year),
        ("month of a day", o => o.Day.Month),
        ("hour", o => o.At.Hour),
        ("date compared", o => o.At > new DateTime(2026, 3, 1)),
        ("day compared", o => o.Day >= new DateOnly(2026, 2, 1)),
        ("rounded", o => Math.Round(o.Total)),
        ("absolute", o => Math.Abs(o.Count - 3)),
        ("smaller", o => Math.Min(o.Count, 2)),
        ("null compared", o => o.Company == null),
        ("quotes", o => o.Customer + "\"\\\n{0}"),
        ("object", o => new { o.Customer, Twice = o.Count * 2 }),
    ];

    [Fact]
    public async Task The_database_computes_what_the_program_computes()
    {
        await using var fixture = await ClientFixture.OpenAsync(isRemote: false);
        var orders = await StoreAsync(fixture.Store);
        var json =
            fixture.Store.Options.Json ?? new JsonSerializerOptions { Converters = { new JsonStringEnumConverter() } };
        var wrong = new List<string>();
        await using var session = fixture.Store.OpenSession();
        foreach (var (name, value) in Values)
        {
            var index = new Computed(value, name);
            var text = index.ToText().Maps[0];
            try
            {
                await fixture.Store.DeployIndexesAsync([index]);
                var entries = (
                    await session.RawQuery<Computed.Entry>($"from index '{name}' select Order, Value").ToResultsAsync()
                ).Items;
                var compiled = value.Compile();
                foreach (var order in orders)
                {
                    var expected = Normal(JsonSerializer.SerializeToElement(compiled(order), json));
                    var actual = Normal(
                        JsonSerializer.SerializeToElement(entries.Single(e => e.Order == order.Id).Value, json)
                    );
                    if (expected != actual)
                    {
                        wrong.Add($"{name}: {expected} became {actual}; {text}");
                        break;
                    }
                }
            }
            catch (PipelineClientException e)
            {
                wrong.Add($"{name}: {e.Message}; {text}");
            }
        }
        Assert.True(wrong.Count == 0, string.Join("\n", wrong));
    }

    [Fact]
    public void What_an_index_cannot_compute_is_named()
    {
        Refused(o => o.At > DateTime.UtcNow, "DateTime.UtcNow would be the time of the deployment");
        Refused(o => Guid.NewGuid(), "Guid.NewGuid");
        Refused(o => Helper(o), "the database does not know TypedIndexTests.Helper");
        Refused(o => (object)o is Company, "documents have no classes");
        Refused(o => new Uri("http://a"), "an index holds texts, numbers");
        Assert.Contains(
            "has no map",
            Assert.Throws<InvalidOperationException>(() => new Mapless("none").ToText()).Message,
            StringComparison.Ordinal
        );
    }

    private static string Normal(JsonElement value) =>
        value.ValueKind switch
        {
            JsonValueKind.Number => value
                .GetDecimal()
                .ToString("0.############################", System.Globalization.CultureInfo.InvariantCulture),
            // A stored list of one element comes back as the element, an empty one as null.
            JsonValueKind.Array when value.GetArrayLength() == 0 => "null",
            JsonValueKind.Array when value.GetArrayLength() == 1 => Normal(value[0]),
            JsonValueKind.Array => "[" + string.Join(",", value.EnumerateArray().Select(Normal)) + "]",
            JsonValueKind.Object => "{"
                + string.Join(",", value.EnumerateObject().Select(p => p.Name + ":" + Normal(p.Value)))
                + "}",
            _ => value.GetRawText(),
        };
}
