using System.Linq.Expressions;
using System.Reflection;

namespace Pipeline.Client;

/// <summary>
/// Queries by places. A place is two numbers, a member that has <c>Latitude</c> and <c>Longitude</c>, or a text in WKT.
/// In a query of a defined index, a place is a field of the index.
/// </summary>
public static class SpatialQueryable
{
    /// <summary>
    /// Keeps documents by their places: <c>query.Spatial(s => s.Location, area => area.WithinRadius(50, 59.9,
    /// 10.7))</c>.
    /// </summary>
    /// <param name="query">The query.</param>
    /// <param name="place">The place.</param>
    /// <param name="area">The area.</param>
    public static IQueryable<T> Spatial<T>(
        this IQueryable<T> query,
        Expression<Func<T, object?>> place,
        Func<SpatialAreas, SpatialArea> area
    ) =>
        With(
            query,
            new Func<IQueryable<T>, Expression<Func<T, object?>>, Func<SpatialAreas, SpatialArea>, IQueryable<T>>(
                Spatial
            ).Method,
            Expression.Quote(place),
            Expression.Constant(area)
        );

    /// <summary>Keeps documents by their places, which are two numbers.</summary>
    /// <param name="query">The query.</param>
    /// <param name="latitude">The latitude in degrees.</param>
    /// <param name="longitude">The longitude in degrees.</param>
    /// <param name="area">The area.</param>
    public static IQueryable<T> Spatial<T>(
        this IQueryable<T> query,
        Expression<Func<T, object?>> latitude,
        Expression<Func<T, object?>> longitude,
        Func<SpatialAreas, SpatialArea> area
    ) =>
        With(
            query,
            new Func<
                IQueryable<T>,
                Expression<Func<T, object?>>,
                Expression<Func<T, object?>>,
                Func<SpatialAreas, SpatialArea>,
                IQueryable<T>
            >(Spatial).Method,
            Expression.Quote(latitude),
            Expression.Quote(longitude),
            Expression.Constant(area)
        );

    /// <summary>Orders by the distance from a point, the nearest first. <c>ThenBy</c> may follow.</summary>
    /// <param name="query">The query.</param>
    /// <param name="place">The place.</param>
    /// <param name="fromLatitude">The latitude of the point in degrees.</param>
    /// <param name="fromLongitude">The longitude of the point in degrees.</param>
    public static IOrderedQueryable<T> OrderByDistance<T>(
        this IQueryable<T> query,
        Expression<Func<T, object?>> place,
        double fromLatitude,
        double fromLongitude
    ) =>
        With(
            query,
            new Func<IQueryable<T>, Expression<Func<T, object?>>, double, double, IOrderedQueryable<T>>(
                OrderByDistance
            ).Method,
            Expression.Quote(place),
            Expression.Constant(fromLatitude),
            Expression.Constant(fromLongitude)
        );

    /// <summary>Orders by the distance of two numbers from a point, the nearest first.</summary>
    public static IOrderedQueryable<T> OrderByDistance<T>(
        this IQueryable<T> query,
        Expression<Func<T, object?>> latitude,
        Expression<Func<T, object?>> longitude,
        double fromLatitude,
        double fromLongitude
    ) =>
        With(
            query,
            new Func<
                IQueryable<T>,
                Expression<Func<T, object?>>,
                Expression<Func<T, object?>>,
                double,
                double,
                IOrderedQueryable<T>
            >(OrderByDistance).Method,
            Expression.Quote(latitude),
            Expression.Quote(longitude),
            Expression.Constant(fromLatitude),
            Expression.Constant(fromLongitude)
        );

    /// <summary>Orders by the distance from a point, the farthest first.</summary>
    public static IOrderedQueryable<T> OrderByDistanceDescending<T>(
        this IQueryable<T> query,
        Expression<Func<T, object?>> place,
        double fromLatitude,
        double fromLongitude
    ) =>
        With(
            query,
            new Func<IQueryable<T>, Expression<Func<T, object?>>, double, double, IOrderedQueryable<T>>(
                OrderByDistanceDescending
            ).Method,
            Expression.Quote(place),
            Expression.Constant(fromLatitude),
            Expression.Constant(fromLongitude)
        );

    /// <summary>Orders by the distance of two numbers from a point, the farthest first.</summary>
    public static IOrderedQueryable<T> OrderByDistanceDescending<T>(
        this IQueryable<T> query,
        Expression<Func<T, object?>> latitude,
        Expression<Func<T, object?>> longitude,
        double fromLatitude,
        double fromLongitude
    ) =>
        With(
            query,
            new Func<
                IQueryable<T>,
                Expression<Func<T, object?>>,
                Expression<Func<T, object?>>,
                double,
                double,
                IOrderedQueryable<T>
            >(OrderByDistanceDescending).Method,
            Expression.Quote(latitude),
            Expression.Quote(longitude),
            Expression.Constant(fromLatitude),
            Expression.Constant(fromLongitude)
        );

    private static IOrderedQueryable<T> With<T>(
        IQueryable<T> query,
        MethodInfo method,
        params Expression[] arguments
    ) => (IOrderedQueryable<T>)query.Provider.CreateQuery<T>(Expression.Call(method, [query.Expression, .. arguments]));
}
