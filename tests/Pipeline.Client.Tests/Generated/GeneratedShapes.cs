using System.Linq.Expressions;

namespace Pipeline.Client.Tests.Generated;

/// <summary>
/// What a query makes of documents: the same function for a query of the client and for one in memory.
/// </summary>
internal interface IShape<T>
{
    /// <summary>Compares what both make.</summary>
    Task CheckAsync(
        QueryComparison comparison,
        IReadOnlyList<IQueryable<T>> asked,
        IEnumerable<T> memory,
        bool isOrdered
    );
}

/// <summary>A shape with results of one type.</summary>
/// <param name="make">Adds the shape to a query.</param>
internal sealed class Shape<T, TResult>(Func<IQueryable<T>, IQueryable<TResult>> make) : IShape<T>
{
    public Task CheckAsync(
        QueryComparison comparison,
        IReadOnlyList<IQueryable<T>> asked,
        IEnumerable<T> memory,
        bool isOrdered
    ) => comparison.CheckAsync([.. asked.Select(make)], make(memory.AsQueryable()), isOrdered);
}

/// <summary>The shapes of the generated classes.</summary>
internal static class GeneratedShapes
{
    public static IShape<Parcel>[] OfParcels { get; } =
    [
        Selected((Parcel p) => p.Sender),
        Selected((Parcel p) => p.Id),
        Selected((Parcel p) => p.Wish),
        Selected((Parcel p) => p.Tags),
        Selected((Parcel p) => p.To),
        Selected(
            (Parcel p) =>
                new
                {
                    p.Id,
                    p.Sender,
                    p.Left,
                    p.To.City,
                    p.Items,
                }
        ),
        Selected(
            (Parcel p) =>
                new
                {
                    Sum = p.Items.Sum(i => i.Price * (i.Quantity ?? 1)),
                    First = p.Tags.FirstOrDefault(),
                    Year = p.Day.Year,
                    Far = p.From == null ? null : p.From.City,
                }
        ),
        Selected((Parcel p) => new Country(p.Sender, p.Grade)),
        Selected(
            (Parcel p) =>
                new Place
                {
                    City = p.Sender ?? "none",
                    Zip = p.Count * 2,
                    Latitude = p.To.Latitude,
                }
        ),
        Selected((Parcel p) => p.Count > 2 ? p.Price : p.Discount),
        Selected((Parcel p) => p.Price - (p.Discount ?? 0)),
        Selected(
            (Parcel p) =>
                new
                {
                    Length = p.Sender == null ? -1 : p.Sender.Length,
                    Lines = p.Items.Count,
                    Whole = p,
                }
        ),
        Selected((Parcel p) => p.IsUrgent && p.IsSigned == true),
        Selected((Parcel p) => p.Took > TimeSpan.Zero ? p.Took.Hours : p.Count),
        Selected((Parcel p) => p.Items.Where(i => i.IsGift).Select(i => i.Product).ToList()),
    ];

    public static IShape<Parcel>[] OfParcelSets { get; } =
    [
        Of((IQueryable<Parcel> q) => q.Select(p => p.Sender).Distinct()),
        Of((IQueryable<Parcel> q) => q.Select(p => new { p.Grade, p.IsSigned }).Distinct()),
        Of((IQueryable<Parcel> q) => q.Select(p => p.Day).Distinct()),
        Of((IQueryable<Parcel> q) => q.Select(p => p.To.Country).Distinct()),
        Of((IQueryable<Parcel> q) => q.Select(p => p.Number).Distinct()),
        Of((IQueryable<Parcel> q) => q.Select(p => p.Count).Distinct().OrderByDescending(c => c).Skip(1).Take(3)),
    ];

    public static IShape<Parcel>[] OfParcelGroups { get; } =
    [
        Of(
            (IQueryable<Parcel> q) =>
                q.GroupBy(p => p.Sender)
                    .Select(g => new
                    {
                        g.Key,
                        Count = g.Count(),
                        Sum = g.Sum(p => p.Price),
                        Most = g.Max(p => p.Count),
                        Least = g.Min(p => p.Price),
                    })
        ),
        Of(
            (IQueryable<Parcel> q) =>
                q.GroupBy(p => p.Grade)
                    .Select(g => new
                    {
                        g.Key,
                        Count = g.LongCount(),
                        Sum = g.Sum(p => p.Discount),
                        Most = g.Max(p => p.Discount),
                    })
        ),
        Of(
            (IQueryable<Parcel> q) =>
                q.GroupBy(p => p.IsSigned)
                    .Select(g => new
                    {
                        Signed = g.Key,
                        First = g.Min(p => p.Day),
                        Last = g.Max(p => p.Due),
                        Half = g.Sum(p => p.Count) / 2,
                    })
        ),
        Of(
            (IQueryable<Parcel> q) =>
                q.GroupBy(p => new { p.Wish, p.IsUrgent })
                    .Where(g => g.Count() > 2)
                    .Select(g => new
                    {
                        g.Key.Wish,
                        g.Key.IsUrgent,
                        Count = g.Count(),
                    })
        ),
        Of(
            (IQueryable<Parcel> q) =>
                q.GroupBy(p => p.Day)
                    .Where(g => g.Sum(p => p.Count) >= 4)
                    .Select(g => new { Day = g.Key, Count = g.Count() })
        ),
        Of(
            (IQueryable<Parcel> q) =>
                q.GroupBy(p => p.To.City)
                    .OrderByDescending(g => g.Count())
                    .ThenBy(g => g.Key)
                    .Select(g => new { City = g.Key, Count = g.Count() })
        ),
        Of(
            (IQueryable<Parcel> q) =>
                q.GroupBy(p => p.Count)
                    .Select(g => new
                    {
                        g.Key,
                        Mean = g.Average(p => p.Count),
                        Sum = g.Sum(p => p.Count),
                    })
                    .OrderBy(g => g.Sum)
                    .ThenByDescending(g => g.Key)
        ),
        Of(
            (IQueryable<Parcel> q) =>
                q.GroupBy(p => p.Sender).Where(g => g.Key != null && g.Count() > 1).Select(g => g.Key)
        ),
        Of(
            (IQueryable<Parcel> q) =>
                q.GroupBy(p => p.Sender)
                    .Where(g => g.Key == null || g.Key == "Ann")
                    .Select(g => new { g.Key, Count = g.Count() })
        ),
        Of((IQueryable<Parcel> q) => q.GroupBy(p => p.Code).Select(g => g.Key)),
        Of((IQueryable<Parcel> q) => q.GroupBy(p => p.Due).Select(g => g.Count())),
    ];

    public static IShape<Person>[] OfPeople { get; } =
    [
        Selected((Person p) => p.Mail),
        Selected(
            (Person p) =>
                new
                {
                    p.Order,
                    p.Key,
                    p.Mail,
                }
        ),
        Selected((Person p) => p.Friends),
        Selected(
            (Person p) =>
                new
                {
                    p.Name,
                    Oldest = p.Wishes == null ? 0 : p.Wishes.Count,
                    p.Wakes,
                    p.Seen,
                }
        ),
        Selected((Person p) => (p.Friends == null ? 0 : p.Friends.Length) + p.Key),
        Selected((Person p) => p.Age.HasValue ? p.Age.Value : -1),
        Selected((Person p) => p.Plain),
        Selected((Person p) => p),
    ];

    public static IShape<Person>[] OfPersonGroups { get; } =
    [
        Of(
            (IQueryable<Person> q) =>
                q.GroupBy(p => p.Key)
                    .Select(g => new
                    {
                        g.Key,
                        Sum = g.Sum(p => p.Age),
                        Mean = g.Average(p => p.Age),
                        Last = g.Max(p => p.Seen),
                    })
        ),
        Of((IQueryable<Person> q) => q.GroupBy(p => p.Mail).Select(g => new { g.Key, Count = g.Count() })),
        Of(
            (IQueryable<Person> q) =>
                q.GroupBy(p => new { p.Plain, Name = p.Order })
                    .Select(g => new
                    {
                        g.Key.Plain,
                        g.Key.Name,
                        Count = g.Count(),
                        Sum = g.Sum(p => p.Key),
                    })
        ),
        Of((IQueryable<Person> q) => q.GroupBy(p => p.Seen).Select(g => new { g.Key, Count = g.Count() })),
    ];

    public static IShape<Reading>[] OfReadings { get; } =
    [
        Selected((Reading r) => r.Value),
        Selected(
            (Reading r) =>
                new
                {
                    r.Long,
                    r.Huge,
                    r.Exact,
                    r.Unsigned,
                    r.Short,
                    r.Byte,
                }
        ),
        Selected((Reading r) => r.Samples),
        Selected((Reading r) => r.Codes.Count(c => c > 2)),
        Selected((Reading r) => r.Error ?? double.NegativeZero),
        Selected((Reading r) => (int)r.Byte << 2),
    ];

    public static IShape<Reading>[] OfReadingGroups { get; } =
    [
        Of(
            (IQueryable<Reading> q) =>
                q.GroupBy(r => r.Unit)
                    .Select(g => new
                    {
                        g.Key,
                        Count = g.Count(),
                        Least = g.Min(r => r.Value),
                        Most = g.Max(r => r.Error),
                    })
        ),
        Of(
            (IQueryable<Reading> q) =>
                q.GroupBy(r => r.Long)
                    .Select(g => new
                    {
                        g.Key,
                        Count = g.Count(),
                        Sum = g.Sum(r => r.Byte),
                    })
        ),
        Of(
            (IQueryable<Reading> q) =>
                q.GroupBy(r => r.Byte)
                    .Select(g => new
                    {
                        g.Key,
                        Least = g.Min(r => r.Long),
                        Most = g.Max(r => r.Long),
                        Huge = g.Max(r => r.Huge),
                    })
        ),
        Of((IQueryable<Reading> q) => q.GroupBy(r => r.Exact).Select(g => new { g.Key, Count = g.Count() })),
    ];

    private static Shape<T, TResult> Selected<T, TResult>(Expression<Func<T, TResult>> selector) =>
        Of<T, TResult>(q => q.Select(selector));

    private static Shape<T, TResult> Of<T, TResult>(Func<IQueryable<T>, IQueryable<TResult>> make) =>
        new Shape<T, TResult>(make);
}
