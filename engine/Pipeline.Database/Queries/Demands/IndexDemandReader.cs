using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;

namespace Pipeline.Database.Queries.Demands;

/// <summary>Determines the demands of a query on an index.</summary>
public sealed class IndexDemandReader
{
    private readonly QuerySyntax _query;
    private readonly QueryPaths _paths;
    private readonly List<string> _order = [];
    private readonly Dictionary<string, FieldDemand> _fields = new(StringComparer.Ordinal);
    private readonly List<AggregateDemand> _aggregates = [];
    private bool _needsIndex;

    private IndexDemandReader(QuerySyntax query)
    {
        _query = query;
        _paths = new QueryPaths(query);
    }

    /// <summary>Determines the demands of a query on an index.</summary>
    /// <param name="query">The query.</param>
    /// <returns>The demand.</returns>
    /// <exception cref="InvalidQueryException">
    /// A function has an argument that it cannot use, or no index can answer the query.
    /// </exception>
    public static IndexDemand Read(QuerySyntax query)
    {
        ArgumentNullException.ThrowIfNull(query);
        return new IndexDemandReader(query).Read();
    }

    private IndexDemand Read()
    {
        var keys = new List<GroupKeyDemand>();
        foreach (var key in _query.GroupBy)
        {
            keys.Add(
                key.Expression is CallSyntax { Target: null, Name: "array" } array
                    ? new GroupKeyDemand(_paths.Of(array.Arguments[0], "the path of an array"), true)
                    : new GroupKeyDemand(_paths.Of(key.Expression, "a field"), false)
            );
        }

        if (_query.Where is not null)
            Condition(_query.Where, FieldUsage.Compare);
        foreach (var order in _query.OrderBy)
            Order(order);
        foreach (var item in _query.Select?.Items ?? [])
            Selected(item.Expression);
        foreach (var call in _query.Include.OfType<CallSyntax>().Where(c => c.Name == "highlight"))
            Use(call.Arguments[0], FieldUsage.Highlight);
        return new IndexDemand
        {
            IndexName = _query.From.Kind == FromKind.Index ? _query.From.Name : null,
            Collection = _query.From.Kind == FromKind.Collection ? _query.From.Name : null,
            Fields = [.. _order.Select(name => _fields[name])],
            GroupBy = keys,
            Aggregates = _aggregates,
            NeedsNoIndex = !_needsIndex && _query.From.Kind != FromKind.Index && _fields.Count == 0 && keys.Count == 0,
        };
    }

    private void Condition(ExpressionSyntax condition, FieldUsage usage)
    {
        switch (condition)
        {
            case LogicalSyntax logical:
                foreach (var operand in logical.Operands)
                    Condition(operand, usage);
                break;
            case NotSyntax not:
                Condition(not.Operand, usage);
                break;
            case ComparisonSyntax comparison:
                Use(comparison.Left, usage);
                break;
            case BetweenSyntax between:
                Use(between.Operand, usage);
                break;
            case InSyntax within:
                Use(within.Operand, usage);
                break;
            case CallSyntax { Target: null } call:
                Call(call, usage);
                break;
        }
    }

    private void Call(CallSyntax call, FieldUsage usage)
    {
        switch (call.Name)
        {
            case "exact":
                Condition(call.Arguments[0], FieldUsage.Exact);
                break;
            case "boost" or "fuzzy" or "proximity":
                Condition(call.Arguments[0], usage);
                break;
            case "intersect":
                foreach (var argument in call.Arguments)
                    Condition(argument, usage);
                break;
            case "search" or "lucene":
                Use(call.Arguments[0], FieldUsage.Search);
                break;
            case "startsWith" or "endsWith" or "regex" or "exists":
                Use(call.Arguments[0], usage);
                break;
            case "spatial.within" or "spatial.intersects" or "spatial.disjoint" or "spatial.contains":
                Place(call.Arguments[0]);
                break;
            default:
                _needsIndex = true;
                break;
        }
    }

    private void Order(OrderSyntax order)
    {
        if (order.Expression is CallSyntax { Name: "spatial.distance" } distance)
        {
            Place(distance.Arguments[0]);
            return;
        }

        if (order.Expression is CallSyntax { Target: null, Name: "score" or "random" or "custom" })
        {
            _needsIndex = true;
            return;
        }

        Use(
            order.Expression,
            order.Type switch
            {
                OrderType.Long or OrderType.Double => FieldUsage.OrderNumber,
                OrderType.AlphaNumeric => FieldUsage.OrderAlphaNumeric,
                _ => FieldUsage.OrderText,
            }
        );
    }

    private void Selected(ExpressionSyntax value)
    {
        switch (value)
        {
            case CallSyntax { Target: null, Name: "facet" } facet:
                Facet(facet);
                break;
            case CallSyntax { Target: null, Name: "suggest" } suggest:
                Use(suggest.Arguments[0], FieldUsage.Suggest);
                break;
            default:
                Aggregates(value);
                break;
        }
    }

    // facet(Price < 10, Price >= 10 and Price < 20), facet(Category, sum(Units)), facet(id('facets/films'))
    private void Facet(CallSyntax facet)
    {
        foreach (var argument in facet.Arguments)
        {
            switch (argument)
            {
                case CallSyntax { Target: null, Name: "sum" or "min" or "max" or "avg" or "average" } aggregate:
                    Use(aggregate.Arguments[0], FieldUsage.Facet);
                    break;
                case FieldSyntax:
                    Use(argument, FieldUsage.Facet);
                    break;
                case ComparisonSyntax or BetweenSyntax or LogicalSyntax:
                    Condition(argument, FieldUsage.Facet);
                    break;
            }
        }
    }

    /// <summary>Aggregates within the value of a group, however deep.</summary>
    private void Aggregates(ExpressionSyntax value)
    {
        switch (value)
        {
            case CallSyntax aggregate when AggregateDemand.IsAggregate(aggregate):
                Aggregate(aggregate);
                break;
            case CallSyntax call:
                if (call.Target is not null)
                    Aggregates(call.Target);
                foreach (var argument in call.Arguments)
                    Aggregates(argument);
                break;
            case ObjectSyntax made:
                foreach (var property in made.Properties)
                    Aggregates(property.Value);
                break;
            case ArithmeticSyntax arithmetic:
                Aggregates(arithmetic.Left);
                Aggregates(arithmetic.Right);
                break;
            case ConditionalSyntax conditional:
                Aggregates(conditional.Condition);
                Aggregates(conditional.WhenTrue);
                Aggregates(conditional.WhenFalse);
                break;
            case ComparisonSyntax comparison:
                Aggregates(comparison.Left);
                Aggregates(comparison.Right);
                break;
        }
    }

    private string Aggregate(CallSyntax call)
    {
        if (_query.GroupBy.Count == 0)
            throw _paths.Error(call, $"{call.Name}() is computed for groups", "add 'group by'");
        if (call is { Name: "count", Arguments.Count: > 0 })
            throw _paths.Error(call, "count() takes no field", "write count()");
        var name = AggregateDemand.NameOf(call, a => _paths.Of(a, $"the field of {call.Name}()"));
        var path = call.Name == "count" ? null : _paths.Of(call.Arguments[0], "a field");
        if (call.Name is "avg" or "average")
        {
            Add(AggregateDemand.Of("sum", path!));
            Add(AggregateDemand.Of("count", path!));
        }

        Add(new AggregateDemand(name, path));
        return name;
    }

    private void Add(AggregateDemand aggregate)
    {
        if (!_aggregates.Contains(aggregate))
            _aggregates.Add(aggregate);
    }

    private void Use(ExpressionSyntax expression, FieldUsage usage)
    {
        if (_paths.IsId(expression))
            return;
        var path =
            AggregateDemand.IsAggregate(expression) ? Aggregate((CallSyntax)expression)
            : expression is CallSyntax { Target: null, Name: "key" }
            && _query.GroupBy is [{ Expression: FieldSyntax key }]
                ? _paths.Of(key)
            : _paths.Of(expression, "a field");
        Add(new FieldDemand(path, usage));
    }

    private void Place(ExpressionSyntax place)
    {
        if (place is CallSyntax { Target: null, Name: "spatial.point" } point)
        {
            var source = new SpatialSource(
                _paths.Of(point.Arguments[0], "the field of the latitude"),
                _paths.Of(point.Arguments[1], "the field of the longitude"),
                null
            );
            Add(
                new FieldDemand($"spatial.point({source.LatitudePath}, {source.LongitudePath})", FieldUsage.Spatial)
                {
                    Spatial = source,
                }
            );
        }
        else if (place is CallSyntax { Target: null, Name: "spatial.wkt" } wkt)
        {
            var source = new SpatialSource(null, null, _paths.Of(wkt.Arguments[0], "the field of the text in WKT"));
            Add(new FieldDemand($"spatial.wkt({source.WktPath})", FieldUsage.Spatial) { Spatial = source });
        }
        else
        {
            Add(
                new FieldDemand(
                    _paths.Of(place, "a spatial field or spatial.point(latitude, longitude)"),
                    FieldUsage.Spatial
                )
            );
        }
    }

    private void Add(FieldDemand demand)
    {
        if (_fields.TryGetValue(demand.Path, out var known))
        {
            _fields[demand.Path] = known with { Usage = known.Usage | demand.Usage };
            return;
        }

        _order.Add(demand.Path);
        _fields.Add(demand.Path, demand);
    }
}
