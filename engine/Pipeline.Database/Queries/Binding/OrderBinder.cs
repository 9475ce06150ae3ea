using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Binding;

/// <summary>Converts <c>order by</c> to the sort order of the hits.</summary>
/// <remarks>
/// <c>score()</c> puts the best first, as in RavenDB, and <c>score() desc</c> the worst. A query without <c>order
/// by</c> sorts by score if it searches words or uses boosts, and otherwise keeps the order of the index.
/// </remarks>
internal sealed class OrderBinder(QueryContext context, QueryBinder binder, long seed)
{
    private static readonly string[] Scoring = ["search", "lucene", "boost", "fuzzy", "proximity"];

    internal IReadOnlyList<SearchOrder> Bind()
    {
        if (context.Query.OrderBy.Count == 0)
            return binder.IsBoosted || (context.Query.Where is { } where && IsScored(where)) ? [SearchOrder.Score] : [];
        List<SearchOrder> keys = [.. context.Query.OrderBy.Select(Meant).SelectMany(Keys)];
        return keys.Count <= Searcher.MaxOrders
            ? keys
            : throw context.Paths.Error(
                context.Query.OrderBy[^1].Expression,
                $"results are put in order by at most {nameof(Searcher.MaxOrders)}, {Searcher.MaxOrders}, fields",
                null,
                Language.QueryErrorKind.Limit
            );
    }

    /// <summary>
    /// In a query with groups, an order by the alias of a count or sum in <c>select</c> orders by that aggregate.
    /// </summary>
    private OrderSyntax Meant(OrderSyntax order) =>
        context.Query.GroupBy.Count > 0
        && order.Expression is FieldSyntax { Segments: [{ IsArray: false } name] }
        && context.Query.Select?.Items.FirstOrDefault(i =>
            i.Alias == name.Name
            && i.Expression is CallSyntax { Target: null } call
            && AggregateDemand.IsAggregate(call)
        )
            is { } item
            ? order with
            {
                Expression = item.Expression,
            }
            : order;

    private IEnumerable<SearchOrder> Keys(OrderSyntax order)
    {
        if (
            order.Expression is not CallSyntax { Target: null } call
            || call.Name is "key" or "id"
            || AggregateDemand.IsAggregate(call)
        )
        {
            return FieldKeys(order);
        }

        switch (call.Name)
        {
            case "score":
                return [new ScoreOrder(!order.IsDescending)];
            case "random":
                return [new RandomOrder(call.Arguments.Count == 0 ? seed : Seed(call.Arguments[0]))];
            case "spatial.distance":
                (var latitude, var longitude) = binder.Point(call.Arguments[1]);
                var roundTo =
                    call.Arguments.Count > 2
                        ? context.Number(call.Arguments[2], "what distances are rounded to, in kilometres,")
                            * binder.Meters(null)
                        : 0;
                return binder.Place(call.Arguments[0]) is { } place
                    ? [new DistanceOrder(place.Name, latitude, longitude, order.IsDescending, roundTo)]
                    : [];
            default:
                throw context.NotSupported(
                    call,
                    $"an order by {call.Name}() is not supported",
                    "order by a field, score(), random() or spatial.distance()"
                );
        }
    }

    private IEnumerable<SearchOrder> FieldKeys(OrderSyntax order)
    {
        if (context.Paths.IsId(order.Expression))
            return [new FieldOrder(IndexFieldNames.DocumentId, SortForm.String, order.IsDescending)];
        if (context.Field(order.Expression, binder.Path(order.Expression)) is not { } field)
            return [];
        var type = order.Type == OrderType.Unspecified ? field.Order : order.Type;
        if (type is OrderType.Long or OrderType.Double)
            return [Key(field, type == OrderType.Long ? SortForm.Long : SortForm.Double, order)];
        var text = type == OrderType.AlphaNumeric ? SortForm.Alphanumeric : SortForm.String;
        if (!context.Index.Reader.TryGetField(field.Name, out var stored))
            return [];
        var hasTexts = context.Index.Reader.OpenColumn(stored, ColumnKind.Term) is not null;
        var hasNumbers =
            context.Index.Reader.OpenColumn(stored, ColumnKind.Long) is not null
            || context.Index.Reader.OpenColumn(stored, ColumnKind.Double) is not null;
        // Numbers have no texts to sort by: they sort as numbers, before the texts of the same field.
        if (!hasNumbers)
            return [Key(field, text, order)];
        return hasTexts
            ? [Key(field, SortForm.Double, order), Key(field, text, order)]
            : [Key(field, SortForm.Double, order)];
    }

    private static FieldOrder Key(QueryField field, SortForm form, OrderSyntax order) =>
        new(field.Name, form, order.IsDescending);

    private long Seed(ExpressionSyntax expression) =>
        BinaryPrimitives.ReadInt64LittleEndian(
            SHA256.HashData(Encoding.UTF8.GetBytes(context.Scalar(expression)?.ToString() ?? ""))
        );

    private static bool IsScored(ExpressionSyntax condition) =>
        condition switch
        {
            LogicalSyntax logical => logical.Operands.Any(IsScored),
            CallSyntax call => Scoring.Contains(call.Name) || call.Arguments.Any(IsScored),
            _ => false,
        };
}
